"""A live view equals the view rebuilt from event 1, for every viewer, at every event of fifty random matches."""

from itertools import cycle, islice
from pathlib import Path

import pytest

from domain.hands import all_rulesets
from domain.simulate import simulate
from domain.table import evolve, replay
from projections.base import Projector, open_engine
from projections.live_table import LiveTables, get_view
from projections.viewing import view_for
from schemas.envelope import read_line
from schemas.views import VIEWERS

MATCHES = 50
RULESETS = tuple(islice(cycle(ruleset.id for ruleset in all_rulesets()), MATCHES))


@pytest.mark.parametrize(("number", "ruleset"), list(enumerate(RULESETS)))
def test_a_live_view_is_the_view_rebuilt_from_event_1(number: int, ruleset: str, tmp_path: Path) -> None:
    lines = [each.line for each in simulate(ruleset, 1, f"views {number}", ("random", "greedy")[number % 2])]
    engine = open_engine(f"sqlite:///{tmp_path}/view.sqlite")
    projector = Projector(engine, LiveTables(lambda _: ()))
    projector.open()
    live = None
    for sequence, line in enumerate(lines, start=1):
        live = evolve(live, read_line(line))
        rebuilt = replay(map(read_line, lines[:sequence]))
        assert live == rebuilt
        for viewer in VIEWERS:
            assert view_for(live, viewer) == view_for(rebuilt, viewer)
        if sequence % 16 == 0 or sequence == len(lines):
            projector.feed([(at, lines[at - 1]) for at in range(projector.watermark + 1, sequence + 1)])
            with engine.connect() as connection:
                assert all(get_view(connection, live.id, viewer) == view_for(rebuilt, viewer) for viewer in VIEWERS)
    engine.dispose()
