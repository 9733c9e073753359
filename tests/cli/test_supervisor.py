"""The supervisor with small programs in the place of the real ones: restarts, stops, and what it says."""

import asyncio
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest
import pytest_asyncio

from services.supervisor import Process, StartFailed, Supervisor

SLEEPS = "import time; print('hello', flush=True); time.sleep(600)"
DEAF = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); print('hello', flush=True); time.sleep(600)"


class Watched:
    """A supervisor and what it said."""

    def __init__(self, data: Path) -> None:
        self.data, self.said = data, list[str]()
        self.supervisor = Supervisor(data, self.said.append)

    async def start(self, name: str, program: str, stage: int = 1, lock: Path | None = None) -> None:
        await self.supervisor.start(Process(name, (sys.executable, "-c", program), stage, lock=lock))

    def noted(self, name: str) -> dict[str, int | None]:
        found: dict[str, int | None] = json.loads((self.data / "processes.json").read_text())["processes"][name]
        return found

    def pid(self, name: str) -> int:
        return self.noted(name)["pid"] or 0

    def log(self, name: str) -> str:
        return (self.data / "logs" / f"{name}.log").read_text()


@pytest_asyncio.fixture
async def watched(tmp_path: Path) -> AsyncIterator[Watched]:
    made = Watched(tmp_path)
    yield made
    await made.supervisor.stop()


async def until(true: Callable[[], bool]) -> None:
    """Wait until something is so."""
    async with asyncio.timeout(30):
        while not true():  # noqa: ASYNC110 (it looks at files and processes, which give no signal)
            await asyncio.sleep(0.02)


def runs(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


async def test_one_that_is_killed_is_restarted_and_said_so(watched: Watched) -> None:
    await watched.start("ledger", SLEEPS)
    first = watched.pid("ledger")
    os.kill(first, signal.SIGKILL)
    await until(lambda: watched.noted("ledger")["restarts"] == 1 and watched.pid("ledger") not in {0, first})
    assert any("ledger was killed by SIGKILL; restarting in" in line for line in watched.said)


async def test_one_that_cannot_live_is_tried_again_and_again_ever_more_slowly(watched: Watched) -> None:
    await watched.start("ledger", "raise SystemExit(3)")
    await until(lambda: len(watched.said) >= 3)
    assert [line.partition(" (")[0] for line in watched.said[:3]] == [
        f"ledger exited with code 3; restarting in {pause} s" for pause in ("0.1", "0.5", "1")
    ]


async def test_what_it_says_is_logged_and_warnings_are_said_aloud(watched: Watched) -> None:
    await watched.start("live", f"print('WARNING disk'); print('x' * 200_000); {SLEEPS}")
    await until(lambda: "hello" in watched.log("live"))
    assert watched.said == ["live: WARNING disk"]
    assert "x" * 200_000 in watched.log("live")


async def test_a_first_start_that_fails_says_why(watched: Watched) -> None:
    async def never() -> None:
        await asyncio.sleep(600)

    argv = (sys.executable, "-c", "print('no disk left'); raise SystemExit(1)")
    with pytest.raises(StartFailed, match="tables exited with code 1") as failed:
        await watched.supervisor.start(Process("tables", argv, 1, ready=never))
    assert "no disk left" in str(failed.value)


async def test_the_higher_stages_end_first(watched: Watched, tmp_path: Path) -> None:
    order = tmp_path / "order"
    program = (
        "import signal, sys, time\n"
        "def end(*_):\n    open({order!r}, 'a').write({name!r} + '\\n'); sys.exit()\n"
        "signal.signal(signal.SIGTERM, end); print('hello', flush=True); time.sleep(600)"
    )
    for stage, name in enumerate(("nats", "live", "tables", "demo")):
        await watched.start(name, program.format(order=str(order), name=name), stage)
        await until(lambda name=name: "hello" in watched.log(name))  # type: ignore[misc]
    await watched.supervisor.stop()
    assert order.read_text().split() == ["demo", "tables", "live", "nats"]


async def test_those_that_do_not_listen_are_ended_by_force_in_time(watched: Watched) -> None:
    for stage in range(4):
        await watched.start(f"deaf{stage}", DEAF, stage)
        await until(lambda stage=stage: "hello" in watched.log(f"deaf{stage}"))  # type: ignore[misc]
    pids = [watched.pid(f"deaf{stage}") for stage in range(4)]
    began = time.monotonic()
    await watched.supervisor.stop()
    assert time.monotonic() - began < 8  # the promise is 5 s; the rest is for a busy machine
    assert not any(map(runs, pids))


async def test_a_stop_does_not_wait_for_the_next_restart(watched: Watched) -> None:
    await watched.start("ledger", "raise SystemExit(3)")
    await until(lambda: len(watched.said) >= 4)
    await watched.supervisor.stop()
    assert watched.noted("ledger")["pid"] is None
    said = len(watched.said)
    await asyncio.sleep(0)
    assert len(watched.said) == said


async def test_a_successor_waits_until_the_store_is_free(watched: Watched, tmp_path: Path) -> None:
    await watched.start("nats", SLEEPS, lock=tmp_path / "nats.lock")
    holder = watched.pid("nats")
    second = asyncio.create_task(watched.start("other", SLEEPS, lock=tmp_path / "nats.lock"))
    await asyncio.sleep(0.2)
    assert not second.done()
    watched.supervisor._children[0].stopping.set()
    os.kill(holder, signal.SIGKILL)
    await asyncio.wait_for(second, 10)


def test_no_process_outlives_a_supervisor_that_is_killed(tmp_path: Path) -> None:
    program = f"""
import asyncio, sys
from pathlib import Path
from services.supervisor import Process, Supervisor
async def main():
    supervisor = Supervisor(Path({str(tmp_path)!r}), print)
    await supervisor.start(Process("child", (sys.executable, "-c", {DEAF!r}), 1))
    print("started", flush=True)
    await asyncio.sleep(600)
asyncio.run(main())
"""
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True) as supervisor:
        assert supervisor.stdout is not None
        assert supervisor.stdout.readline() == "started\n"
        child = json.loads((tmp_path / "processes.json").read_text())["processes"]["child"]["pid"]
        deadline = time.monotonic() + 30
        while "hello" not in (tmp_path / "logs" / "child.log").read_text():
            assert time.monotonic() < deadline
            time.sleep(0.02)
        supervisor.kill()
    while runs(child):
        assert time.monotonic() < deadline, "the child outlived its supervisor"
        time.sleep(0.02)
