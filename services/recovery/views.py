"""The views that hold a copy of something, as one looks at them to compare: is there one, how far is it, is it of this stream."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final, NamedTuple

from sqlalchemy import Connection, Engine, select
from sqlalchemy.exc import SQLAlchemyError

from projections.base import open_engine, watermarks
from projections.runner import make
from services.settings import Settings

COMPARED: Final = ("archive", "audit", "ledger")
"""The projections that are compared with the stream."""


class Mark(NamedTuple):
    """How far a view is: what it holds of events up to the sequence `upto` is compared, and nothing up to `complete` may be missing in it.

    The two are the same, but for a view of another stream, of which nothing must be complete.
    """

    upto: int
    complete: int


def mark_of(settings: Settings, name: str) -> Mark | None:
    """The mark of a view; None when it was never built, or is of another version of the software."""
    url = settings.database(name)
    if url.startswith("sqlite") and not Path(url.removeprefix("sqlite:///")).exists():
        return None
    engine = open_engine(url)
    try:
        with engine.connect() as connection:
            query = select(watermarks.c.version, watermarks.c.sequence).where(watermarks.c.projection == name)
            row = connection.execute(query).one_or_none()
    except SQLAlchemyError:
        return None
    finally:
        engine.dispose()
    if row is None or row.version != make(name, lambda _: ()).version:
        return None
    return Mark(row.sequence, row.sequence)


def as_bytes(line: object) -> bytes:
    """A line as a view gives it. Whoever tampers with a SQLite file may have left text, or anything, where bytes should be."""
    return line if isinstance(line, bytes) else bytes(line) if isinstance(line, memoryview) else str(line).encode()


class Views:
    """Connections to the views, opened when they are first asked for. For one thread of one process."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._engines: dict[str, Engine] = {}

    @contextmanager
    def connection(self, name: str) -> Iterator[Connection]:
        """A connection to a view."""
        if name not in self._engines:
            self._engines[name] = open_engine(self._settings.database(name))
        with self._engines[name].connect() as connection:
            yield connection

    def close(self) -> None:
        """Let the connections go."""
        for engine in self._engines.values():
            engine.dispose()
