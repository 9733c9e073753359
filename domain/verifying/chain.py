"""Follows the chain of a record, and tells missing, doubled, reordered and changed events apart."""

from collections.abc import Iterator, Sequence

from domain.faults import Fault, Found, Kind
from schemas.canonical import GENESIS
from schemas.envelope import Opened, open_line
from schemas.notation import Unreadable


def chained(lines: Sequence[bytes], end: str | None = None) -> Iterator[Opened]:
    """The events with their places read, each found to follow the one before. What happened in them is not read yet. Raises Found.

    `end` is the hash that the last event should have, if anybody knows; it helps to tell which of the last two was changed.
    """
    table, prev, time = "", GENESIS, ""
    for expected, line in enumerate(lines, start=1):
        try:
            opened = open_line(line)
        except Unreadable as error:
            raise _fault(table or None, expected, "unreadable", f"{error}.", "事件无法读取。") from None
        table = table or opened.table
        if opened.table != table:
            following = _opened(lines, 3)
            if expected == 2 and following is not None and following.table == opened.table:
                raise _fault(opened.table, 1, "changed", f"It says that it belongs to table {table}.", "事件被改动。")
            en = f"This event belongs to table {opened.table}."
            raise _fault(table, expected, "chain", en, "事件属于另一张桌子。")
        if opened.version != expected:
            raise _out_of_place(opened, expected, lines)
        if opened.prev != prev:
            raise _broken(opened, lines, end)
        if opened.time < time:
            en = f"Its time, {opened.time}, is before that of the event before it."
            raise _fault(table, expected, "reordered", en, "时间倒退。")
        prev, time = opened.hash, opened.time
        yield opened


def _out_of_place(opened: Opened, expected: int, lines: Sequence[bytes]) -> Found:
    """Another event stands where this version should: it was doubled, moved here, changed, or the right one is missing."""
    version = opened.version
    if version < expected and opened.line == lines[version - 1]:
        return _fault(
            opened.table, version, "duplicated", f"It stands here again, after event {expected - 1}.", "事件重复。"
        )
    if any(each is not None and each.version == expected for each in map(_try_open, lines)):
        return _fault(opened.table, expected, "reordered", f"Event {version} stands here.", "事件顺序被改动。")
    following = _opened(lines, expected + 1)
    if following is not None and following.version == expected + 1:
        return _fault(opened.table, expected, "changed", f"It calls itself event {version}.", "事件编号被改动。")
    return _fault(opened.table, expected, "missing", f"It is missing; event {version} follows.", "缺少事件。")


def _broken(opened: Opened, lines: Sequence[bytes], end: str | None) -> Found:
    """The event does not hold the hash of the one before. If the next one still holds its hash, it is the one before that was changed."""
    version = opened.version
    following = _opened(lines, version + 1)
    held = end if version == len(lines) else following.prev if following else None
    if version == 1 or held not in {None, opened.hash}:
        en = "It was changed: it holds the hash of another event than the one before it."
        return _fault(opened.table, version, "changed", en, "事件被改动。")
    en = f"Its hash is not the one that event {version} holds; it was changed."
    return _fault(opened.table, version - 1, "changed", en, "哈希链在此断开, 事件被改动。")


def _opened(lines: Sequence[bytes], version: int) -> Opened | None:
    return _try_open(lines[version - 1]) if version <= len(lines) else None


def _try_open(line: bytes) -> Opened | None:
    try:
        return open_line(line)
    except Unreadable:
        return None


def _fault(table: str | None, version: int, kind: Kind, en: str, zh: str) -> Found:
    return Found(Fault(table, version, kind, "", en, zh))
