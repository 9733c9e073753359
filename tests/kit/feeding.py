"""A process that takes the stream of the tests into a projection event by event, to be killed: `python -m tests.kit.feeding NAME URL`."""

import sys

from projections.base import Projector, open_engine
from projections.runner import make
from tests.kit.matches import interleaved
from tests.kit.projection_case import table_of


def history(table_id: str) -> list[bytes]:
    """The lines of a table."""
    return [line for _, line in interleaved() if table_of(line) == table_id]


def main(name: str, url: str) -> None:
    """Say each watermark once it is reached."""
    projector = Projector(open_engine(url), make(name, history))
    projector.open()
    for each in interleaved():
        print(projector.feed([each]), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
