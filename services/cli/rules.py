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

from domain.cards import RANK_INDEX, Counts, counts_of, counts_of_ranks, ranks_text
from domain.climbing import rulesets
from domain.climbing.bombs import BombPlay
from domain.climbing.scoring import settle
from domain.climbing.tables import Tables, tables_for
from schemas.notation import Unreadable, parse_cards
from schemas.readings import Reading

Line = dict[str, Any]
Op = Callable[[Line], Line]

_CHUNK: Final = 1 << 16
_COPIES: Final = 2
_TRUMPS: Final = "services.cli.rules_trumps"
_TRUMP_OPS: Final = ("split", "throw", "follow", "winner", "result")
_READING: Final = ("pattern", "rank", "cards", "groups", "stars")


def op_read(line: Line) -> Line:
    """What cards count as, led or against a lead (C3, C4)."""
    tables = _tables(line.get("ruleset"))
    counts = _cards(line, "cards")
    lead = _lead(tables, line.get("lead"))
    reading = tables.read(counts, lead)
    if reading is None:
        return {"legal": False, "reason": tables.read_reason(counts, lead)}
    return {"legal": True, "reading": reading}


def op_options(line: Line) -> Line:
    """Every set of ranks out of a hand that may be played, weakest first."""
    tables = _tables(line.get("ruleset"))
    options = tables.options(_cards(line, "hand"), _lead(tables, line.get("lead")))
    return {"options": [{"ranks": ranks_text(option.counts), "reading": option.reading} for option in options]}


def op_settle(line: Line) -> Line:
    """The score of a hand, explained (C6, C7)."""
    tables = _tables(line.get("ruleset"))
    finish, plays = line.get("finish"), line.get("plays", [])
    if not isinstance(finish, list) or not all(_is_seat(seat) for seat in finish):
        raise Unreadable(f"finish: must be the four seats in finishing order, like [0, 2, 3, 1], not {finish!r}")
    if not isinstance(plays, list):
        raise Unreadable(f"plays: must be a list of the bombs played, not {plays!r}")
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
        raise Unreadable(f"op: {name!r} is none of {', '.join((*OPS, *_TRUMP_OPS))}")
    return OPS[name]


@cache
def _tables(ruleset_id: object) -> Tables:
    if not isinstance(ruleset_id, str):
        raise Unreadable("ruleset: is missing; name one in the line or with --ruleset")
    return tables_for(rulesets.get(ruleset_id))


def _cards(line: Line, name: str) -> Counts:
    """Rank counts of the cards of a line: with suits under `name`, or as ranks under `ranks`."""
    text, ranks = line.get(name), line.get("ranks")
    if (text is None) == (ranks is None):
        raise Unreadable(f"give either {name} (with suits, 7S 7H BJ) or ranks (7 7 BJ)")
    if not isinstance(text if ranks is None else ranks, str):
        raise Unreadable(f"{name if ranks is None else 'ranks'}: must be text, cards separated by spaces")
    if ranks is not None:
        return counts_of_ranks(ranks.split())
    cards = parse_cards(text or "")
    if len(set(cards)) < len(cards):
        for card, number in Counter(cards).items():
            if number > _COPIES:
                raise Unreadable(f"{name}: {number} times {card}; two packs hold it twice")
    return counts_of(cards)


def _lead(tables: Tables, lead: Any) -> Reading | None:
    if lead is None:
        return None
    if not isinstance(lead, dict):
        raise Unreadable(f"lead: must be null or a reading as `read` returns it, not {lead!r}")
    missing = [name for name in _READING if name not in lead]
    if missing:
        raise Unreadable(f"lead: lacks {', '.join(missing)}; give a reading as `read` returns it")
    try:
        return _known_lead(tables, lead["pattern"], lead["rank"], lead["cards"], lead["groups"], lead["stars"])
    except TypeError:
        raise Unreadable(f"lead: is no reading: {lead!r}") from None


@cache
def _known_lead(tables: Tables, pattern: Any, rank: Any, cards: Any, groups: Any, stars: Any) -> Reading:
    numbers = all(type(number) is int for number in (cards, groups, stars))
    if not numbers or rank not in RANK_INDEX or cards < 1 or groups < 1:
        raise Unreadable("lead: rank must be a rank, and cards, groups and stars whole numbers")
    reading = Reading(pattern, rank, cards, groups, stars)
    if not tables.is_reading(reading):
        told = f"{pattern} to {rank}, {cards} cards, {groups} groups, {stars} stars"
        raise Unreadable(f"lead: {told} cannot be by the rules of {tables.ruleset.id}")
    return reading


def _bomb(tables: Tables, number: int, play: Any) -> BombPlay:
    """A bomb of `settle`; its rank does not matter there and may be left out."""
    if not isinstance(play, dict) or not _is_seat(play.get("seat")):
        raise Unreadable(f"plays: number {number} must be an object with a seat from 0 to 3")
    pattern: Any = play.get("pattern")
    numbers: list[Any] = [play.get(name) for name in ("cards", "groups", "stars")]
    event = play.get("event")
    if not all(type(value) is int for value in numbers) or not (event is None or type(event) is int):
        raise Unreadable(f"plays: number {number} must have cards, groups and stars as whole numbers")
    cards, groups, stars = numbers
    rank = play.get("rank", "BJ" if pattern in ("three_jokers", "four_jokers") else "A")
    reading = Reading(pattern, rank, cards, groups, stars)
    if not (rank in RANK_INDEX and groups > 0 and reading.is_bomb and tables.is_reading(reading)):
        raise Unreadable(f"plays: number {number} is no bomb of {tables.ruleset.id}: {play!r}")
    return BombPlay(play["seat"], replace(reading, rank=play.get("rank", "")), event)


def _is_seat(value: Any) -> bool:
    return type(value) is int and 0 <= value < 4


def answer(line: bytes, default_ruleset: str | None) -> bytes:
    """The answer to one line, as JSON without the line's end."""
    try:
        asked = orjson.loads(line)
        if not isinstance(asked, dict):
            raise Unreadable("a line must be one JSON object")
        if default_ruleset is not None:
            asked.setdefault("ruleset", default_ruleset)
        name = asked.get("op")
        if not isinstance(name, str):
            raise Unreadable(f"op: must be one of {', '.join((*OPS, *_TRUMP_OPS))}")
        return orjson.dumps(_op(name)(asked))
    except (ValueError, LookupError, TypeError) as error:
        return orjson.dumps({"error": str(error)})


def batches(source: BinaryIO) -> Iterator[list[bytes]]:
    """The lines of a stream, as many at a time as have arrived; the last one may lack its end."""
    rest = b""
    read: Callable[[int], bytes] = getattr(source, "read1", source.read)
    while chunk := read(_CHUNK):
        *lines, rest = (rest + chunk).split(b"\n") if b"\n" in chunk else (rest + chunk,)
        if lines:
            yield lines
    if rest:
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
    run_filter(sys.stdin.buffer, sys.stdout.buffer, ruleset)
