"""A supervisor: starts the processes of one installation, restarts those that die, and stops all of them in order.

    supervisor = Supervisor(data, say=print)
    await supervisor.start(Process("tables", argv, stage=2, ready=answers))
    ...
    await supervisor.stop()

Each process is in a session of its own, so that Ctrl-C in the terminal reaches the supervisor only, and is tied to it (services/tether.py),
so that none outlives it. Output goes to `logs/<name>.log` in the data folder; warnings and errors are also said aloud. `processes.json`
names the processes that run, for whoever wants to look or to kill one.
"""

import asyncio
import contextlib
import fcntl
import json
import os
import re
import signal
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Final

from services import tether

STOP_WITHIN: Final = 4.0
"""Seconds from the wish to stop until whatever still runs is killed; all is over within five."""
STAGE_TAKES: Final = 1.2
"""Seconds one stage may take to end by itself when others wait for it."""
BACKOFF: Final = (0.1, 0.5, 1.0, 2.0, 5.0)
"""Seconds before the first, second, … restart in a row; the last for all that follow."""
STEADY: Final = 10.0
"""Seconds after which a process counts as running well and its backoff begins anew."""
LOG_SIZE: Final = 8 * 1024 * 1024
"""Bytes of a log file before it is put aside as `<name>.log.1`."""
LOUD: Final = re.compile(r"\[(warning|error|critical) *\]|\b(WRN|ERR|FTL|WARNING|ERROR|CRITICAL)\b")
"""Lines that are said aloud."""
QUIET: Final = re.compile(r"Plaintext passwords detected|Healthcheck failed: \"failed to be ready")
"""Warnings that mean nothing here: the file with the password is its owner's only; we ask for health while the server starts."""

Say = Callable[[str], None]


class StartFailed(Exception):
    """A process ended, or did not become ready in time, when it was started for the first time. The message ends with what it said."""


@dataclass(frozen=True, slots=True)
class Process:
    """One process to run. `stage`: those of a higher stage are stopped first. `ready` returns once it is of use.

    `lock` is a file that is locked as long as the process lives: a successor waits for it, so that never two work on the same store.
    """

    name: str
    argv: tuple[str, ...]
    stage: int
    env: Mapping[str, str] = field(default_factory=dict)
    ready: Callable[[], Awaitable[None]] | None = None
    lock: Path | None = None


class Supervisor:
    """Runs processes until told to stop. `say` gets one readable line for everything a person should know."""

    def __init__(self, data: Path, say: Say) -> None:
        self.data, self.say = data, say
        self._children: list[_Child] = []
        (data / "logs").mkdir(parents=True, exist_ok=True)

    async def start(self, process: Process, within: float = 30.0) -> None:
        """Start a process, wait until it is ready, and keep it running from now on. Raises StartFailed."""
        child = _Child(process, self)
        self._children.append(child)
        await child.begin(within)

    async def stop(self) -> None:
        """End all processes, the highest stage first; by force where one takes too long. Returns within five seconds."""
        deadline = time.monotonic() + STOP_WITHIN
        for child in self._children:
            child.stopping.set()
        stages = sorted({child.process.stage for child in self._children}, reverse=True)
        for stage in stages:
            last = stage == stages[-1]
            left = deadline - time.monotonic()
            members = [child for child in self._children if child.process.stage == stage]
            await asyncio.gather(*(child.end(max(left if last else min(left, STAGE_TAKES), 0.1)) for child in members))
        self.note()

    def kill(self) -> None:
        """End everything at once."""
        for child in self._children:
            child.stopping.set()
            child.signal(signal.SIGKILL)

    def note(self) -> None:
        """Write down which processes run. A full disk must not keep them from being restarted, so then it is left unwritten."""
        running = {child.process.name: child.status() for child in self._children}
        part = self.data / "processes.json.part"
        with contextlib.suppress(OSError):
            part.write_text(json.dumps({"supervisor": os.getpid(), "processes": running}, indent=2))
            part.replace(self.data / "processes.json")


class _Child:
    """A process and what becomes of it."""

    def __init__(self, process: Process, supervisor: Supervisor) -> None:
        self.process, self.supervisor = process, supervisor
        self.stopping = asyncio.Event()
        self.running: asyncio.subprocess.Process | None = None
        self.restarts = 0
        self.log = _Log(supervisor.data / "logs" / f"{process.name}.log")
        self.keeper: asyncio.Task[None] | None = None

    def status(self) -> dict[str, int | None]:
        alive = self.running is not None and self.running.returncode is None
        return {"pid": self.running.pid if self.running and alive else None, "restarts": self.restarts}

    async def begin(self, within: float) -> None:
        running = await self.spawn()
        self.keeper = asyncio.create_task(self.keep(running), name=self.process.name)
        if self.process.ready is None:
            return
        ready = asyncio.ensure_future(self.process.ready())
        died = asyncio.ensure_future(running.wait())
        try:
            await asyncio.wait((ready, died), timeout=within, return_when=asyncio.FIRST_COMPLETED)
            if not ready.done():
                how = _how(running.returncode) if died.done() else f"is not ready after {within:g} s"
                raise StartFailed(f"{self.process.name} {how}.{self.log.says()}")
            await ready
        finally:
            ready.cancel()
            died.cancel()

    async def spawn(self) -> asyncio.subprocess.Process:
        lock = await _locked(self.process.lock) if self.process.lock else None
        argv = (sys.executable, "-I", "-S", tether.__file__, str(os.getpid()), *self.process.argv)
        try:
            self.running = await asyncio.create_subprocess_exec(
                *argv,
                env={**os.environ, **self.process.env},
                stdin=asyncio.subprocess.DEVNULL,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.STDOUT,
                start_new_session=True,
                pass_fds=(lock.fileno(),) if lock else (),
            )
        finally:
            if lock:
                lock.close()  # the child holds it now
        if self.stopping.is_set():
            self.signal(signal.SIGTERM)
        self.supervisor.note()
        return self.running

    async def keep(self, running: asyncio.subprocess.Process) -> None:
        """Read what it says until it ends; start it again unless it was meant to end."""
        row, began = 0, time.monotonic()
        while True:
            await self.listen(running)
            how = _how(await running.wait())
            while not self.stopping.is_set():
                row = 0 if time.monotonic() - began > STEADY else row
                await self.pause(how, BACKOFF[min(row, len(BACKOFF) - 1)])
                row, began = row + 1, time.monotonic()
                if self.stopping.is_set():
                    return
                try:
                    running = await self.spawn()
                except (OSError, StartFailed) as error:
                    how = f"cannot be started: {error}"
                else:
                    break
            if self.stopping.is_set():
                return

    async def pause(self, how: str, seconds: float) -> None:
        """Say what happened and wait for the restart, or for the wish to stop."""
        name = self.process.name
        self.supervisor.say(f"{name} {how}; restarting in {seconds:g} s ({name} 已退出,即将重启)")
        self.supervisor.note()
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self.stopping.wait(), seconds)
        self.restarts += 1

    async def listen(self, running: asyncio.subprocess.Process) -> None:
        async for line in _lines(running.stdout):
            self.log.write(line)
            if LOUD.search(line) and not QUIET.search(line) and not self.stopping.is_set():
                self.supervisor.say(f"{self.process.name}: {line}")

    async def end(self, within: float) -> None:
        self.signal(signal.SIGTERM)
        if self.keeper is None:
            return
        done, _ = await asyncio.wait((self.keeper,), timeout=within)
        if not done:
            self.signal(signal.SIGKILL)
            await asyncio.wait((self.keeper,), timeout=0.5)
            self.keeper.cancel()
        self.log.close()

    def signal(self, number: signal.Signals) -> None:
        if self.running and self.running.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                self.running.send_signal(number)


class _Log:
    """A log file that is put aside when it grows large; remembers its last lines."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.file = path.open("ab", buffering=0)
        self.last: list[str] = []

    def write(self, line: str) -> None:
        """Write a line, unless the disk is full: a log is not worth a process that is no longer looked after."""
        self.last = [*self.last[-4:], line]
        with contextlib.suppress(OSError):
            self.file.write((line + "\n").encode())
            if self.file.tell() > LOG_SIZE:
                self.file.close()
                self.path.replace(self.path.with_suffix(".log.1"))
                self.file = self.path.open("ab", buffering=0)

    def says(self) -> str:
        said = "\n  ".join(self.last)
        return f" It said:\n  {said}\nThe whole log: {self.path}" if said else f" Its log is empty: {self.path}"

    def close(self) -> None:
        self.file.close()


async def _lines(stream: asyncio.StreamReader | None) -> AsyncIterator[str]:
    """Lines as text, however long they are and whatever bytes they hold."""
    rest = b""
    while stream is not None and (chunk := await stream.read(65536)):
        *lines, rest = (rest + chunk).split(b"\n")
        for line in lines:
            yield line.decode(errors="replace").rstrip()
    if rest:
        yield rest.decode(errors="replace").rstrip()


async def _locked(path: Path) -> IO[bytes]:
    """The file, locked; waits for whoever holds the lock. Raises StartFailed after five seconds."""
    path.parent.mkdir(parents=True, exist_ok=True)
    file = path.open("ab")
    for _ in range(100):
        with contextlib.suppress(BlockingIOError):
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return file
        await asyncio.sleep(0.05)
    file.close()
    raise StartFailed(f"{path} is locked: a process of an earlier start still works on this folder; end it first")


def _how(code: int | None) -> str:
    """How a process ended, in words."""
    if code is None:
        return "has not ended"
    if code < 0:
        return f"was killed by {signal.Signals(-code).name}"
    return f"exited with code {code}"
