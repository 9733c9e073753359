"""How the golden matches (`tests/golden/matches`) were made. The files are the truth: no test makes them again, they must verify for ever.

`python -m ops.golden FOLDER` plays them again into another folder, to see what the code of today would make of the same plans, or to add
a match; it never writes over a file that is there. `huopin-v1.ndjson`, whose events are those of before tables had a clock, votes and
salts, was made by the code of commit 8cf35b7: `simulate("huopin", 1, "golden 21", "random")` written by `match_file`.

`python -m ops.golden --seen FOLDER` prints what each viewer sees at some events of the files of a folder: `seen.txt` was made so.
"""

import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path
from typing import Final

from domain.bots import BOTS, choose
from domain.shuffle import derived_seed, drawer, secret_of
from domain.table import Given, Table, decide, evolve
from domain.upkeep import due
from projections.viewing import event_for, view_for
from schemas.canonical import canonical, digest
from schemas.commands import (
    Command,
    CommitSeed,
    Decline,
    GiveSalt,
    HandCommand,
    Leave,
    OpenTable,
    Return,
    SeatPlayer,
    StartHand,
    VoteDissolve,
)
from schemas.envelope import Recorded, read_line
from schemas.events import CoinOptions, ContributionScored, Played, SeatsSwapped, TableOptions, TrickWon
from schemas.matchfile import match_file, read_match
from schemas.trumps import KittyCountered, ThrowFailed
from schemas.views import VIEWERS

BEGIN: Final = datetime(2026, 3, 14, 9, 26, 53, tzinfo=UTC)
NAMES: Final = ("ann", "博文", "Čeněk", "d'Arc")
"""Names as people have them."""
FIFTH: Final = "eve"
AWAY: Final = 1
"""The seat whose clock runs out in the first hand."""


class Unfit(Exception):
    """This seed does not give what the match is to contain; the next one is tried."""


@dataclass(slots=True)
class Match:
    """A match that is being played. Every command takes a second, unless the table gives it by itself at its own time."""

    seed: str
    id: str
    table: Table | None = None
    recorded: list[Recorded] = field(default_factory=list)
    now: datetime = BEGIN

    @property
    def there(self) -> Table:
        """The table, which must be open."""
        if self.table is None:
            raise ValueError("the table is not open yet")
        return self.table

    def give(self, command: Command, at: str | None = None) -> Sequence[Recorded]:
        """Carry out a command, at a time of its own if need be."""
        secret = secret_of(self.seed)
        hands = self.table.hands if self.table else 0
        seed = derived_seed(secret, self.id, hands + isinstance(command, StartHand | CommitSeed))
        self.now = max(self.now + timedelta(seconds=1), datetime.fromisoformat(at) if at else BEGIN)
        time = at or f"{self.now.isoformat(timespec='milliseconds')[:23]}Z"
        happened = decide(self.table, self.id, command, Given(time, f"golden.{len(self.recorded)}", seed))
        for each in happened:
            self.table = evolve(self.table, each)
        self.recorded.extend(happened)
        return happened

    def wait(self) -> Sequence[Recorded]:
        """Let the table do what is due."""
        wanted = due(self.there)
        if wanted is None:
            raise ValueError("nothing is due")
        return self.give(wanted.command, wanted.at)

    def choice(self, bot: str = "random") -> HandCommand:
        """What a bot does next."""
        table = self.there
        draw = drawer(secret_of(self.seed).hex(), table.id, table.hands, f"choice {table.version}")
        return choose(table, BOTS[bot], draw)

    def start(self) -> None:
        """Commit to a seed, let two players add to it, and start the next hand."""
        self.wait()
        self.give(GiveSalt(2, f"salt-{self.there.hands + 1}!"))
        self.give(GiveSalt(0, "~lucky~"))
        self.give(StartHand())

    def play(self, steps: int | None = None, bot: str = "random") -> None:
        """Let bots play, to the end of the hand or so many commands."""
        for step in count():
            if not self.there.playing or step == steps:
                return
            self.give(self.choice(bot))


def away(match: Match) -> None:
    """A clock runs out; the table plays until the player comes back by playing. Another one comes back by saying so."""
    _until(match, lambda table: table.waiting[:1] == (AWAY,))
    match.wait()
    for _ in range(2):
        _until(match, lambda table: table.waiting[:1] == (AWAY,), but=AWAY)
        match.wait()
    _until(match, lambda table: table.waiting[:1] == (AWAY,), but=AWAY)
    match.give(match.choice())
    _until(match, lambda table: table.waiting[:1] == (2,))
    match.wait()
    match.give(Return(2))


def _until(match: Match, reached: Callable[[Table], bool], but: int | None = None) -> None:
    """Let bots play until the table is so, not for the seat `but`."""
    if but is not None and not reached(match.there):
        match.give(match.choice())
    while not reached(match.there):
        if not match.there.playing:
            raise Unfit("the hand ended too early")
        match.give(match.choice())


def dissolve(match: Match) -> None:
    """A vote that somebody ends, then one in which all agree during a hand."""
    match.give(VoteDissolve(3, agree=True))
    match.give(VoteDissolve(0, agree=False))
    for seat in (2, 0, 1, 3):
        match.give(VoteDissolve(seat, agree=True))


def leave(match: Match, seat: int) -> None:
    """A player leaves during the hand, and another takes the seat."""
    match.give(Leave(seat))
    match.give(SeatPlayer(FIFTH, seat))


def opened(ruleset: str, seed: str, options: TableOptions) -> Match:
    """A table with four players."""
    match = Match(seed, f"golden-{ruleset}")
    match.give(OpenTable(ruleset, 1, options))
    for name in NAMES:
        match.give(SeatPlayer(name))
    return match


def climbing(ruleset: str, seed: str, options: TableOptions) -> Match:
    """A hand with a bomb war and the wind caught in which clocks run out; a hand that is left; a hand that is dissolved."""
    match = opened(ruleset, seed, options)
    match.start()
    away(match)
    match.play()
    events = [each.event for each in match.recorded]
    if longest_war(events) < 3 or not any(isinstance(each, TrickWon) and each.caught_wind for each in events):
        raise Unfit("no war of bombs, or nobody caught the wind")
    if ruleset in {"jj", "huopin", "qianbian"} and not any(isinstance(each, SeatsSwapped) for each in events):
        raise Unfit("nobody changed seats")
    match.start()
    match.play(12)
    if ruleset in {"huopin", "qianbian"}:
        _play_to_a_contribution(match)
    leave(match, match.there.waiting[0])
    match.start()
    match.play(5)
    dissolve(match)
    return match


def _play_to_a_contribution(match: Match) -> None:
    hand = match.there.hands
    while not any(isinstance(each.event, ContributionScored) and each.event.hand == hand for each in match.recorded):
        if not match.there.playing:
            raise Unfit("no contribution in the second hand")
        match.give(match.choice())
    if not match.there.playing:
        raise Unfit("the contribution came with the end of the hand")


def trumps(ruleset: str, seed: str, options: TableOptions) -> Match:
    """A hand with a counter-burial and a failed throw; one whose kitty is turned and that is left; one that is dissolved."""
    match = opened(ruleset, seed, options)
    match.start()
    _until(match, lambda table: table.waiting != ())
    match.wait()  # the clock of whoever did not declare
    match.play(8)
    away(match)
    match.play()
    kinds = {type(each.event) for each in match.recorded}
    if not {KittyCountered, ThrowFailed} <= kinds:
        raise Unfit("no counter, or no throw that failed")
    match.start()
    _nobody_declares(match)
    match.play(30)
    leave(match, match.there.waiting[0])
    match.start()
    match.play(5)
    dissolve(match)
    return match


def _nobody_declares(match: Match) -> None:
    while not match.there.waiting:
        match.wait()
    while len(match.there.waiting) > 1 or not match.there.hand or match.there.hand.turn is None:
        match.give(Decline(match.there.waiting[0]))


def longest_war(events: Sequence[object]) -> int:
    """The most bombs in one trick."""
    tricks: dict[tuple[int, int], int] = {}
    for each in events:
        if isinstance(each, Played) and each.reading.is_bomb:
            tricks[each.hand, each.trick] = tricks.get((each.hand, each.trick), 0) + 1
    return max(tricks.values(), default=0)


BASE: Final = TableOptions(turn_seconds=20, salts=True)
PLANS: Final[dict[str, tuple[Callable[[str, str, TableOptions], Match], TableOptions]]] = {
    "basic": (climbing, BASE.model_copy(update={"fee": "1.5"})),
    "jj": (climbing, BASE.model_copy(update={"delayed": 20})),
    "huopin": (climbing, BASE.model_copy(update={"delayed": "hand"})),
    "qianbian": (climbing, BASE.model_copy(update={"coins": CoinOptions(factor="500", fee="50", correction="1")})),
    "jinbao": (climbing, BASE.model_copy(update={"partner_after_out": True})),
    "ningxia": (trumps, BASE.model_copy(update={"level": "T", "deal_step": 10})),
}
"""Ruleset -> how its match is played, and the options of its table."""


def made(ruleset: str) -> tuple[str, bytes]:
    """The match of a ruleset from the first seed that gives all it is to contain: that seed, and the match file."""
    play, options = PLANS[ruleset]
    for number in count():
        seed = f"golden {number}"
        try:
            match = play(ruleset, seed, options)
        except Unfit:
            continue
        return seed, match_file([each.line for each in match.recorded])
    raise AssertionError


EVERY: Final = 41
"""So many events apart are the events at which `seen` looks, beside those that hide cards."""
HIDING: Final = frozenset(("dealt", "kitty-taken", "kitty-buried", "finished", "hand-voided", "seed-revealed"))


def seen(name: str, lines: Sequence[bytes]) -> Iterator[str]:
    """What each viewer sees at some events, a line a viewer: whose cards (1), whose not (0), the kitty (k), and a digest of all of it."""
    table: Table | None = None
    for line in lines:
        recorded = read_line(line)
        table = evolve(table, recorded)
        if recorded.event.TYPE not in HIDING and recorded.version % EVERY:
            continue
        for viewer in VIEWERS:
            view = view_for(table, viewer)
            holdings = [seat.holding for seat in view.seats]
            kitty = getattr(view.hand, "kitty", None)
            shown = {"data": event_for(table, recorded, viewer)["data"], "holdings": holdings, "kitty": kitty}
            mask = "".join("0" if holding is None else "1" for holding in holdings) + ("k" if kitty else "")
            yield f"{name} {recorded.version} {recorded.event.TYPE} {viewer}: {mask} {digest(canonical(shown))[:16]}"


def main() -> None:
    """Play the matches that are not in a folder yet, or print what is seen of those that are."""
    arguments = [each for each in sys.argv[1:] if each != "--seen"]
    if len(arguments) != 1:
        sys.exit("python -m ops.golden [--seen] FOLDER")
    folder = Path(arguments[0])
    if "--seen" in sys.argv:
        for path in sorted(folder.glob("*.ndjson")):
            print("\n".join(seen(path.stem, read_match(path.read_bytes()).lines)))
        return
    folder.mkdir(parents=True, exist_ok=True)
    for ruleset in PLANS:
        path = folder / f"{ruleset}.ndjson"
        if path.exists():
            print(f"{path} is there and stays as it is")
            continue
        seed, data = made(ruleset)
        path.write_bytes(data)
        print(f"{path}: seed {seed!r}, {len(data):,} bytes")


if __name__ == "__main__":
    main()
