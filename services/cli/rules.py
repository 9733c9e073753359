"""`shuangkou rules`: the rules as a filter. One JSON object a line in, one JSON object a line out, in the same order.

A line that is not valid is answered with `{"error": "…"}` and the filter goes on. What comes in at once is answered at once, so the
filter serves a pipe of a million lines and a program that waits for each answer alike.
"""

import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import cache
from importlib import import_module
from types import MappingProxyType
from typing import Annotated, Any, BinaryIO, Final

import orjson
import typer

from domain.cards import Counts, counts_of, counts_of_ranks, ranks_text
from domain.climbing import rulesets
from domain.climbing.bombs import MOST_BOMBS, BombPlay
from domain.climbing.scoring import settle
from domain.climbing.tables import Tables, tables_for
from domain.seats import SEATS
from schemas.notation import RANKS, Unreadable, parse_cards
from schemas.readings import Reading
from schemas.text import quoted

Line = dict[str, Any]
Op = Callable[[Line], Line]

_CHUNK: Final = 1 << 16
_COPIES: Final = 2
_TRUMPS: Final = "services.cli.rules_trumps"
_TRUMP_OPS: Final = ("split", "throw", "follow", "winner", "result")
_READING: Final = ("pattern", "rank", "cards", "groups", "stars")


def op_read(line: Line) -> Line:
    """What cards count as, led or against a lead (C3, C4)."""
    tables = _tables(line)
    counts = _cards(line, "cards")
    lead = _lead(tables, line.get("lead"))
    reading = tables.read(counts, lead)
    if reading is None:
        return {"legal": False, "reason": tables.read_reason(counts, lead)}
    return {"legal": True, "reading": reading}


def op_options(line: Line) -> Line:
    """Every set of ranks out of a hand that may be played, weakest first."""
    tables = _tables(line)
    options = tables.options(_cards(line, "hand"), _lead(tables, line.get("lead")))
    return {"options": [{"ranks": ranks_text(option.counts), "reading": option.reading} for option in options]}


def op_settle(line: Line) -> Line:
    """The score of a hand, explained (C6, C7)."""
    tables = _tables(line)
    finish, plays = line.get("finish"), line.get("plays", [])
    if not isinstance(finish, list) or not all(map(_is_seat, finish)) or sorted(finish) != list(SEATS):
        raise Unreadable(f"finish: must be the four seats in finishing order, like [0, 2, 3, 1], not {quoted(finish)}")
    if not isinstance(plays, list):
        raise Unreadable(f"plays: must be a list of the bombs played, not {quoted(plays)}")
    if len(plays) > MOST_BOMBS:
        raise Unreadable(f"plays: {len(plays)} bombs; two packs hold no more than {MOST_BOMBS}")
    bombs = [_bomb(tables, number, play) for number, play in enumerate(plays, start=1)]
    settlement = settle(tables.ruleset, finish, bombs)
    return {
        "outcome": settlement.outcome,
        "base": settlement.base,
        "multiplier": settlement.multiplier,
        "contribution": settlement.contribution,
        "score": settlement.score,
        "why": settlement.why,
    }


OPS: Final[Mapping[str, Op]] = MappingProxyType({"read": op_read, "options": op_options, "settle": op_settle})
"""The questions about the climbing family; those about trumps are in `rules_trumps`."""


@cache
def _op(name: str) -> Op:
    if name in _TRUMP_OPS:
        found: Op = import_module(_TRUMPS).OPS[name]
        return found
    if name not in OPS:
        raise Unreadable(f"op: {quoted(name)} is none of {', '.join((*OPS, *_TRUMP_OPS))}")
    return OPS[name]


def _tables(line: Line) -> Tables:
    ruleset_id = line.get("ruleset")
    if isinstance(ruleset_id, str):
        return _tables_of(ruleset_id)
    if ruleset_id is None:
        raise Unreadable("ruleset: is missing; name one in the line or with --ruleset")
    raise Unreadable(f"ruleset: must be a text, not {quoted(ruleset_id)}")


@cache
def _tables_of(ruleset_id: str) -> Tables:
    try:
        return tables_for(rulesets.get(ruleset_id))
    except rulesets.UnknownRuleset as error:
        raise Unreadable(f"ruleset: {error}") from None


def _cards(line: Line, name: str) -> Counts:
    """Rank counts of the cards of a line: with suits under `name`, or as ranks under `ranks`."""
    text, ranks = line.get(name), line.get("ranks")
    if (text is None) == (ranks is None):
        raise Unreadable(f"{name}: give either {name} (with suits, 7S 7H BJ) or ranks (7 7 BJ)")
    field = name if ranks is None else "ranks"
    given = text if ranks is None else ranks
    if not isinstance(given, str):
        raise Unreadable(f"{field}: must be a text, with spaces between, not {quoted(given)}")
    try:
        return _counts_of_cards(given) if ranks is None else counts_of_ranks(given.split())
    except Unreadable as error:
        raise Unreadable(f"{field}: {error}") from None


def _counts_of_cards(text: str) -> Counts:
    cards = parse_cards(text)
    if len(set(cards)) < len(cards):
        for card, number in Counter(cards).items():
            if number > _COPIES:
                raise Unreadable(f"{number} times {card}; two packs hold it twice")
    return counts_of(cards)


def _lead(tables: Tables, lead: Any) -> Reading | None:
    if lead is None:
        return None
    if not isinstance(lead, dict):
        raise Unreadable(f"lead: must be null or a reading as `read` returns it, not {quoted(lead)}")
    missing = [name for name in _READING if name not in lead]
    if missing:
        raise Unreadable(f"lead: lacks {', '.join(missing)}; give a reading as `read` returns it")
    pattern, rank, *numbers = (lead[name] for name in _READING)
    if not isinstance(pattern, str) or not isinstance(rank, str):
        raise Unreadable(f"lead: pattern and rank must be texts, not {quoted(pattern)} and {quoted(rank)}")
    if not _are_whole(numbers):
        raise Unreadable(f"lead: cards, groups and stars must be whole numbers, not {quoted(numbers)}")
    return _known_lead(tables, pattern, rank, *numbers)


@cache
def _known_lead(tables: Tables, pattern: str, rank: str, cards: int, groups: int, stars: int) -> Reading:
    reading = _reading(tables, pattern, rank, [cards, groups, stars])
    if reading is None:
        told = f"{pattern} to {rank}, {cards} cards, {groups} groups, {stars} stars"
        raise Unreadable(f"lead: {told} cannot be by the rules of {tables.ruleset.id}")
    return reading


def _reading(tables: Tables, pattern: Any, rank: Any, numbers: list[Any]) -> Reading | None:
    """The reading with this pattern, rank, and cards, groups and stars; None if no cards could have it."""
    cards, groups, stars = numbers
    if rank not in RANKS or cards < 1 or groups < 1:
        return None
    reading = Reading(pattern, rank, cards, groups, stars)
    return reading if tables.is_reading(reading) else None


def _bomb(tables: Tables, number: int, play: Any) -> BombPlay:
    """A bomb of `settle`; its rank does not matter there and may be left out."""
    if not isinstance(play, dict) or not _is_seat(play.get("seat")):
        raise Unreadable(f"plays: number {number} must be an object with a seat from 0 to 3")
    numbers = [play.get(name) for name in ("cards", "groups", "stars")]
    event = play.get("event")
    if not _are_whole(numbers) or not (event is None or _are_whole([event])):
        raise Unreadable(f"plays: number {number} must have cards, groups and stars as whole numbers")
    pattern = play.get("pattern")
    rank = play.get("rank", "BJ" if pattern in ("three_jokers", "four_jokers") else "A")
    reading = _reading(tables, pattern, rank, numbers)
    if reading is None or not reading.is_bomb:
        raise Unreadable(f"plays: number {number} is no bomb of {tables.ruleset.id}: {quoted(play)}")
    return BombPlay(play["seat"], replace(reading, rank=play.get("rank", "")), event)


def _are_whole(values: list[Any]) -> bool:
    return all(type(value) is int for value in values)


def _is_seat(value: Any) -> bool:
    return type(value) is int and 0 <= value < 4


def answer(line: bytes, default_ruleset: str | None) -> bytes:
    """The answer to one line, as JSON without the line's end."""
    try:
        asked = orjson.loads(line)
        if not isinstance(asked, dict):
            raise Unreadable("line: must be one JSON object")
        if default_ruleset is not None:
            asked.setdefault("ruleset", default_ruleset)
        name = asked.get("op")
        if not isinstance(name, str):
            raise Unreadable(f"op: must be one of {', '.join((*OPS, *_TRUMP_OPS))}")
        return orjson.dumps(_op(name)(asked))
    except orjson.JSONDecodeError as error:
        return orjson.dumps({"error": f"line: is no JSON: {error}"})
    except ValueError as error:
        return orjson.dumps({"error": str(error)})
    except RecursionError:
        return orjson.dumps({"error": "line: is nested too deeply"})


def batches(source: BinaryIO) -> Iterator[list[bytes]]:
    """The lines of a stream, as many at a time as have arrived; the last one may lack its end."""
    begun: list[bytes] = []
    read: Callable[[int], bytes] = getattr(source, "read1", source.read)
    while chunk := read(_CHUNK):
        begun.append(chunk)
        if b"\n" in chunk:
            *lines, rest = b"".join(begun).split(b"\n")
            begun = [rest]
            yield lines
    if rest := b"".join(begun):
        yield [rest]


def run_filter(source: BinaryIO, out: BinaryIO, default_ruleset: str | None = None) -> None:
    """Answer every line of `source` on `out`, in order; what has arrived is answered and flushed before more is read."""
    for lines in batches(source):
        out.write(b"\n".join([answer(line, default_ruleset) for line in lines]) + b"\n")
        out.flush()


def rules(
    ruleset: Annotated[str | None, typer.Option("--ruleset", help="Ruleset of lines that name none 默认规则.")] = None,
) -> None:
    """Ask the rules about single plays: JSON lines on standard input and output 规则过滤器.

    Example: echo '{"op":"read","ruleset":"huopin","ranks":"7 7 7 7 BJ"}' | shuangkou rules
    """
    if ruleset is not None and ruleset not in _known():
        raise typer.BadParameter(f"no ruleset {ruleset!r}; there are {', '.join(_known())}", param_hint="--ruleset")
    run_filter(sys.stdin.buffer, sys.stdout.buffer, ruleset)


def _known() -> list[str]:
    from domain.trumps.rulesets import all_rulesets as trumps

    return [*(each.id for each in rulesets.all_rulesets()), *(each.id for each in trumps())]
