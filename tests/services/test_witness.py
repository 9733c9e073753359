"""A second party copies the log of a service that does not mean well: nothing of it gets into the copy, and what it told is kept."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from urllib.parse import parse_qs, urlsplit

import orjson
import pytest

from domain.proofs.sealing import leaf_line
from schemas.proofs import Leaf
from services.checkpoints import CheckpointFault, CheckpointLog, CheckpointWriter
from services.settings import Settings
from services.witness import check_copy, copy_log
from tests.kit.proofs import LOGGED, key, ring, trust

TRUST = trust(ring())


def leaf(number: int, word: str = "a") -> Leaf:
    return Leaf(hash=word * 64, table=f"t-{number}", time=LOGGED, version=4)


def log_in(folder: Path, *words: str, by: int = 1) -> Path:
    """A log with a checkpoint for each word; it is what its leaf says."""
    writer = CheckpointWriter(folder)
    for number, word in enumerate(words, start=1):
        writer.append([leaf(number, word)], key(by))
    writer.close()
    return folder


@contextmanager
def served(folder: Path, leaves: Sequence[bytes] | None = None) -> Iterator[Settings]:
    """A service that gives a log as ours does, but perhaps these leaves with it."""
    log = CheckpointLog(folder)
    lines = log.leaves if leaves is None else leaves

    class Answers(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            url = urlsplit(self.path)
            asked = {name: int(value) for name, (value,) in parse_qs(url.query).items()}
            wanted = url.path.removeprefix("/checkpoints").removeprefix("/")
            if wanted == "leaves":
                body = b"".join(line + b"\n" for line in lines[asked["start"] :][: asked["limit"]])
            elif wanted:
                body = log.notes[int(wanted) - 1].encode()
            else:
                body = orjson.dumps({"latest": log.latest})
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None: ...  # noqa: A002

    with ThreadingHTTPServer(("127.0.0.1", 0), Answers) as server:
        thread = Thread(target=server.serve_forever)
        thread.start()
        try:
            yield Settings(data=folder, url=f"http://127.0.0.1:{server.server_port}")
        finally:
            server.shutdown()
            thread.join()


def content(folder: Path) -> dict[str, bytes]:
    """What a copy holds, without what was put aside as evidence."""
    kept = [
        path for path in folder.rglob("*") if path.is_file() and path.name != "lock" and "refused" not in path.parts
    ]
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in kept}


def test_a_copy_grows_with_the_log(tmp_path: Path) -> None:
    copy, log = tmp_path / "copy", log_in(tmp_path / "log", "a", "b")
    with served(log) as service:
        assert [copy_log(copy, service, TRUST), copy_log(copy, service, TRUST)] == [2, 0]
    writer = CheckpointWriter(log)
    writer.append([leaf(3), leaf(4)], key(1))
    writer.close()
    with served(log) as service:
        assert copy_log(copy, service, TRUST) == 1
    assert content(copy) == content(log)
    assert check_copy(copy, TRUST)["leaves"] == 4


OTHER_STORIES = {
    "as long, another leaf": (("a", "c"), 1, "another checkpoint 2"),
    "longer, another leaf": (("a", "c", "a"), 1, "another checkpoint 2"),
    "shorter": (("a",), 1, "it took some back"),
    "signed by another": (("a", "b", "a"), 2, "another checkpoint 2"),
}


@pytest.mark.parametrize(("words", "by", "said"), OTHER_STORIES.values(), ids=OTHER_STORIES)
def test_a_service_that_tells_another_story_is_found(
    words: tuple[str, ...], by: int, said: str, tmp_path: Path
) -> None:
    """The copy stays as it was and goes on being good; the other story is evidence."""
    copy = log_in(tmp_path / "copy", "a", "b")
    before = content(copy)
    with served(log_in(tmp_path / "log", *words, by=by)) as service, pytest.raises(CheckpointFault, match=said):
        copy_log(copy, service, TRUST)
    assert content(copy) == before
    assert check_copy(copy, TRUST)["checkpoints"] == 2
    evidence = list((copy / "refused").rglob("00000002.note"))
    assert [each.read_bytes() for each in evidence] == [
        (tmp_path / "log" / "notes" / each.name).read_bytes() for each in evidence
    ]
    assert len(evidence) == (said != "it took some back")


@pytest.mark.parametrize("at", [0, 1], ids=["an old leaf", "a new leaf"])
def test_leaves_that_do_not_belong_to_the_checkpoints_are_not_taken_in(at: int, tmp_path: Path) -> None:
    copy, log = log_in(tmp_path / "copy", "a"), log_in(tmp_path / "log", "a", "b")
    leaves = [*CheckpointLog(log).leaves]
    leaves[at] = leaf_line(leaf(at + 1, "f"))
    before = content(copy)
    said = "other leaves from 0 on" if at == 0 else "its root is not that of the leaves"
    with served(log, leaves) as service, pytest.raises(CheckpointFault, match=rf"(?s){said}.*kept in .*refused"):
        copy_log(copy, service, TRUST)
    assert content(copy) == before
    assert list((copy / "refused").rglob("leaves.ndjson"))


def test_leaves_that_are_not_given_are_missed(tmp_path: Path) -> None:
    log = log_in(tmp_path / "log", "a", "b")
    for leaves in ([], CheckpointLog(log).leaves[:1]):
        with served(log, leaves) as service, pytest.raises(CheckpointFault, match=f"gives no leaf {len(leaves)}"):
            copy_log(tmp_path / "copy", service, TRUST)
    assert content(tmp_path / "copy") == {"leaves.ndjson": b""}


def test_a_log_that_is_signed_by_others_is_put_aside(tmp_path: Path) -> None:
    with (
        served(log_in(tmp_path / "log", "a", by=2)) as service,
        pytest.raises(CheckpointFault, match="not by a key that is known"),
    ):
        copy_log(tmp_path / "copy", service, TRUST)
    assert content(tmp_path / "copy") == {"leaves.ndjson": b""}
    assert list((tmp_path / "copy" / "refused").rglob("00000001.note"))


def test_a_copy_that_was_killed_goes_on(tmp_path: Path) -> None:
    """Leaves are written before the checkpoints over them; what was left of them is written again."""
    log, copy = log_in(tmp_path / "log", "a", "b"), log_in(tmp_path / "copy", "a")
    with (copy / "leaves.ndjson").open("ab") as file:
        file.write(leaf_line(leaf(2, "b")) + b'\n{"hash":"cut')
    assert check_copy(copy, TRUST)["unsigned"] > 0
    with served(log) as service:
        assert copy_log(copy, service, TRUST) == 1
    assert content(copy) == content(log)


def test_two_do_not_write_into_one_copy(tmp_path: Path) -> None:
    log, other = log_in(tmp_path / "log", "a"), CheckpointWriter(tmp_path / "copy")
    with served(log) as service, pytest.raises(CheckpointFault, match="another process"):
        copy_log(tmp_path / "copy", service, TRUST)
    other.close()
