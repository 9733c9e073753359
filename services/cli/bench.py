"""`bench`: the benchmarks. They live in ops, above the services, so each is run as a program of its own."""

import subprocess
import sys
from typing import Annotated, Final, Literal

import typer

BENCHES: Final = ("rules", "eventstore", "rebuild")


def bench(
    name: Annotated[
        Literal["rules", "eventstore", "rebuild"] | None, typer.Argument(help="Which one 哪一项 (default: all).")
    ] = None,
) -> None:
    """Run the benchmarks, each as a ratio to a peer measured in the same run 基准测试.

    Example: shuangkou bench rules
    """
    failed = []
    for each in (name,) if name else BENCHES:
        typer.echo(f"== {each}", err=True)
        if subprocess.run([sys.executable, "-m", f"ops.bench.{each}"], check=False).returncode:  # noqa: S603 (our own modules)
            failed.append(each)
    if failed:
        typer.echo(f"shuangkou: {', '.join(failed)} did not finish", err=True)
        raise typer.Exit(1)
