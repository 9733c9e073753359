"""Every copy of every event that can still be read, put together to whole tables.

A table is followed from its first event along the hash chain, so it does not matter which source gives which event. Where two sources
give different events that both would follow, the record went two ways, and a person has to say which holds.
"""

from collections.abc import Iterator
from typing import Final, Literal, NamedTuple

from projections.archive import Vault, digest_in, lines_in
from projections.base import link_of
from schemas.canonical import GENESIS, digest
from schemas.envelope import open_line
from schemas.notation import Unreadable

Source = Literal["archive", "audit", "stream"]
"""Where a copy comes from."""


class Copy(NamedTuple):
    """The bytes of an event and the sources that gave them."""

    line: bytes
    sources: tuple[Source, ...]


class Trouble(NamedTuple):
    """What keeps a table from being restored: from which event on, what it is, in words.

    Events are `lost`, the record is `forked`, a seed is `foreign` (not of this installation), the checkpoint log knows `otherwise`, or
    events are `unseen` by the audit timeline, which would have seen them.
    """

    table: str
    version: int
    kind: Literal["lost", "forked", "foreign", "otherwise", "unseen"]
    en: str
    zh: str


class Whole(NamedTuple):
    """A table as far as its events chain from the first on; `trouble` says why no further, where there is more of it."""

    table: str
    lines: tuple[bytes, ...]
    heads: tuple[str, ...]
    trouble: Trouble | None


_ALL: Final[tuple[Source, ...]] = ("archive", "audit", "stream")
_SETS: Final = [tuple(each for n, each in enumerate(_ALL) if bits >> n & 1) for bits in range(8)]
_BOTH: Final = {(have, more): tuple(each for each in _ALL if each in {*have, more}) for have in _SETS for more in _ALL}
"""Sources and one more: the few tuples there are, made once, since there are as many copies as events."""


class Sources:
    """The copies. Equal ones are held once; `others` are those that differ from what was given first."""

    def __init__(self) -> None:
        self.tables: Final[dict[str, dict[int, Copy]]] = {}
        self.others: Final[dict[tuple[str, int], dict[bytes, Copy]]] = {}
        self.notes: Final[list[str]] = []
        self.counts: Final[dict[Source, int]] = {"archive": 0, "audit": 0, "stream": 0}

    def add(self, source: Source, line: bytes, place: str = "") -> None:
        """Take in a copy of an event. What cannot be read is noted, with the file that it is in as `place`, and left out."""
        try:
            open_line(line)
            link = link_of(line)
        except Unreadable as error:
            said = f"an event (SHA-256 {digest(line)[:12]}…) cannot be read and was left out: {error} 无法读取,未采用"
            self.notes.append(f"{source}: {place + ': ' if place else ''}{said}")
            return
        self.counts[source] += 1
        mine = self.tables.setdefault(link.table, {})
        have = mine.setdefault(link.version, Copy(line, (source,)))
        if have.line == line:
            if source not in have.sources:
                mine[link.version] = Copy(have.line, _BOTH[have.sources, source])
            return
        others = self.others.setdefault((link.table, link.version), {})
        other = others.get(line, Copy(line, ()))
        others[line] = Copy(line, _BOTH[other.sources, source])

    def add_vault(self, vault: Vault) -> None:
        """Take in every file of an archive that is what its name says; the others are noted."""
        for name in vault.names():
            data = vault.get(name) or b""
            if digest(data) != digest_in(name):
                self.notes.append(f"archive: {name} is not what its name says; it was left out 文件已损坏,未采用")
                continue
            try:
                lines = lines_in(data)
            except Unreadable as error:
                self.notes.append(f"archive: {name}: {error}; it was left out 未采用")
                continue
            for line in lines:
                self.add("archive", line, name)

    def of(self, table: str, version: int, line: bytes) -> tuple[Source, ...]:
        """Which sources have an event with these bytes; none has one that was decided again."""
        first = self.tables[table].get(version)
        if first is not None and first.line == line:
            return first.sources
        other = self.others.get((table, version), {}).get(line)
        return other.sources if other else ()

    def whole(self, prefer: Source | None = None) -> Iterator[Whole]:
        """Every table, as far as it can be put together; where it went two ways, the way of `prefer` if that is given."""
        for table in sorted(self.tables):
            yield self._follow(table, prefer)

    def _follow(self, table: str, prefer: Source | None) -> Whole:
        head = GENESIS
        lines: list[bytes] = []
        heads: list[str] = []
        trouble: Trouble | None = None
        while fit := self._fitting(table, len(lines) + 1, head):
            if len(fit) > 1:
                fit = [copy for copy in fit if prefer in copy.sources]
            if len(fit) != 1:
                trouble = _forked(table, len(lines) + 1)
                break
            head = digest(fit[0].line)
            lines.append(fit[0].line)
            heads.append(head)
        most = max(self.tables[table])
        if trouble is None and most > len(lines):
            trouble = _lost(table, len(lines) + 1, self._next(table, len(lines) + 1), most)
        return Whole(table, tuple(lines), tuple(heads), trouble)

    def _fitting(self, table: str, version: int, head: str) -> list[Copy]:
        """The different copies of an event that chain to the one before."""
        first = self.tables[table].get(version)
        found = [] if first is None else [first, *self.others.get((table, version), {}).values()]
        return [copy for copy in found if link_of(copy.line).prev == head]

    def _next(self, table: str, version: int) -> int:
        """The next version from here on of which there is a copy."""
        return min(each for each in self.tables[table] if each >= version)


def _lost(table: str, version: int, following: int, most: int) -> Trouble:
    if following > version:
        en = f"Events {version} to {following - 1} are in no source; {most - following + 1} events after them cannot be restored."
    else:
        en = f"It does not chain to event {version - 1} in any source; it and what follows, up to {most}, cannot be restored."
    return Trouble(table, version, "lost", en, "所有副本中都缺少该事件,其后的事件无法恢复。")


def _forked(table: str, version: int) -> Trouble:
    en = "The sources hold different events here, and both would follow. Say which holds with --prefer archive, audit or stream."
    return Trouble(table, version, "forked", en, "各副本在此处不一致,请用 --prefer 指定以何者为准。")
