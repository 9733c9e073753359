"""`bench`: the benchmarks. They live in ops, above the services, so they are run as a program of their own."""

import subprocess
import sys
from typing import Annotated

import typer


def bench(
    names: Annotated[
        list[str] | None, typer.Argument(metavar="[NAME]...", help="Which ones 哪些 (default: all).")
    ] = None,
) -> None:
    """Run the benchmarks, each as a ratio to a peer measured in the same run 基准测试.

    Example: shuangkou bench rules
    """
    done = subprocess.run([sys.executable, "-m", "ops.bench", *(names or ())], check=False)  # noqa: S603 (our own module)
    if done.returncode:
        raise typer.Exit(done.returncode)
