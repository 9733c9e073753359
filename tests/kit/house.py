"""The whole house as a person runs it: `shuangkou up` on a folder of its own, and the command line beside it."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from types import TracebackType
from typing import Any, Self

COMMAND = (sys.executable, "-m", "services.cli.main")
ROOT = Path(__file__).parent.parent.parent


def shuangkou(
    *arguments: str, data: Path | None = None, timeout: float = 120, columns: int = 200
) -> subprocess.CompletedProcess[str]:
    """Run a command to its end, on a terminal so wide; never raises for its exit status."""
    env = {**os.environ, "COLUMNS": str(columns), "NO_COLOR": "1"}
    env.pop("SHUANGKOU_DATA", None)
    if data is not None:
        env["SHUANGKOU_DATA"] = str(data)
    return subprocess.run(
        [*COMMAND, *arguments], cwd=ROOT, env=env, capture_output=True, text=True, timeout=timeout, check=False
    )


class House:
    """`up` as a process. `said` is what it printed so far."""

    def __init__(self, data: Path, *arguments: str) -> None:
        self.data, self.arguments = data, arguments
        self.log = data.parent / f"{data.name}.log"

    def __enter__(self) -> Self:
        with self.log.open("w") as said:
            self.process = subprocess.Popen(
                [*COMMAND, "up", "--data", str(self.data), "--port", "0", *self.arguments],
                cwd=ROOT,
                stdout=said,
                stderr=subprocess.STDOUT,
                env={**os.environ, "COLUMNS": "200"},
            )
        self.wait_for("is up")
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.process.poll() is None:
            self.stop()

    @property
    def said(self) -> str:
        """Everything `up` printed."""
        return self.log.read_text()

    def wait_for(self, words: str, within: float = 40) -> None:
        """Wait until it has said these words."""
        deadline = time.monotonic() + within
        while words not in self.said:
            assert self.process.poll() is None, f"up ended: {self.said}"
            assert time.monotonic() < deadline, f"up did not say {words!r}: {self.said}"
            time.sleep(0.05)

    def stop(self, number: signal.Signals = signal.SIGTERM) -> float:
        """Ask it to stop; returns the seconds it took."""
        began = time.monotonic()
        self.process.send_signal(number)
        self.process.wait(30)
        return time.monotonic() - began

    def run(self, *arguments: str, timeout: float = 120, columns: int = 200) -> subprocess.CompletedProcess[str]:
        """A command on this house."""
        return shuangkou(*arguments, data=self.data, timeout=timeout, columns=columns)

    def json(self, *arguments: str) -> Any:
        """What a command prints with --json; it must succeed."""
        done = self.run(*arguments, "--json")
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    def processes(self) -> dict[str, dict[str, int | None]]:
        """Names, pids and restarts of the processes that run."""
        found: dict[str, dict[str, int | None]] = json.loads((self.data / "processes.json").read_text())["processes"]
        return found

    def kill(self, name: str) -> None:
        """kill -9 one of them, if it runs just now."""
        pid = self.processes()[name]["pid"]
        if pid is not None:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                return
