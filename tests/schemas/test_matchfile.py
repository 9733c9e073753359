"""What has not the shape of a match file is told by what it is."""

import gzip
from collections.abc import Callable

import pytest

from schemas.matchfile import match_file, read_match
from schemas.notation import Unreadable
from tests.domain.test_golden_matches import FOLDER

MATCH = (FOLDER / "jj.ndjson").read_bytes()
PROOF = len(MATCH.splitlines())


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda _: b"", "the file is empty"),
        (gzip.compress, "this is compressed data; unpack it first"),
        (lambda data: data.replace(b"\n", b"\r\n"), "its lines end with CRLF"),
        (lambda data: data + b"\n", "there is an empty line at the end"),
        (lambda _: b"\n\n\n", "there is an empty line at the end"),
        (lambda data: data + b"thanks!\n", f"there is more after the proof, which is line {PROOF}"),
        (lambda data: data + b"thanks!", f"there is more after the proof, which is line {PROOF}"),
        (lambda data: data + data, f"there is more after the proof, which is line {PROOF}"),
        (lambda data: data[:-100], "the last line is not ended; the file was cut short"),
        (lambda data: data[:-1], "the last line is not ended; the file was cut short"),
        (lambda _: b"{}\n", "fewer than three lines"),
    ],
)
def test_what_it_is(change: Callable[[bytes], bytes], words: str) -> None:
    with pytest.raises(Unreadable, match=words):
        read_match(change(MATCH))


def test_a_name_may_look_like_the_type_of_a_proof() -> None:
    from schemas.canonical import GENESIS
    from schemas.envelope import read_line, record
    from schemas.events import PlayerSeated

    first = read_line(MATCH.splitlines()[1])
    opened = record(first.table, 1, GENESIS, first.time, first.command, first.event)
    seated = PlayerSeated(player='"type":"shuangkou.match-proof.v1"', seat=0)
    lines = (opened.line, record(first.table, 2, opened.hash, first.time, "c2", seated).line)
    assert read_match(match_file(lines)).lines == lines
