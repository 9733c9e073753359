"""Runs the benchmarks of this folder, each as a program of its own: `python -m ops.bench [NAME …]`."""

import argparse
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path


def names() -> list[str]:
    """The benchmarks there are: every module of this folder that is a program."""
    modules = sorted(Path(__file__).parent.glob("[a-z]*.py"))
    return [module.stem for module in modules if "\ndef main(" in module.read_text(encoding="utf-8")]


def default() -> list[str]:
    """Those that run when none is named: a module that says BY_NAME takes too long for that."""
    folder = Path(__file__).parent
    return [name for name in names() if "\nBY_NAME" not in (folder / f"{name}.py").read_text(encoding="utf-8")]


def main(argv: Sequence[str] | None = None) -> int:
    """Run the benchmarks that are named, by default all that are quick.

    Returns 0, or 1 when one did not finish; an unknown name exits with 2.
    """
    parser = argparse.ArgumentParser(prog="bench", description="Benchmarks beside peers, in one run.")
    parser.add_argument(
        "names", nargs="*", metavar="NAME", help=f"which: {', '.join(names())} (default: {', '.join(default())})"
    )
    chosen: list[str] = parser.parse_args(argv).names or default()
    unknown = [name for name in chosen if name not in names()]
    if unknown:
        parser.error(f"no benchmark {', '.join(unknown)}; there are {', '.join(names())}")
    failed = []
    for name in chosen:
        print(f"== {name}", file=sys.stderr, flush=True)
        if subprocess.run([sys.executable, "-m", f"ops.bench.{name}"], check=False).returncode:
            failed.append(name)
    if failed:
        print(f"did not finish: {', '.join(failed)}", file=sys.stderr)
    return int(bool(failed))


if __name__ == "__main__":
    sys.exit(main())
