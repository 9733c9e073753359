"""A sensible player: declares long trumps, buries weak cards, leads what cannot be beaten, and plays with its partner.

Every function is given only what its seat may know, and answers with a legal choice. Equal choices are drawn.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice

from domain.trumps.bidding import Declaration, counters, declarations
from domain.trumps.chance import Draw
from domain.trumps.filling import filling, full
from domain.trumps.options import Cards, leads, low_first, obligations
from domain.trumps.order import POINTS, TRUMPS, Order, order_of, points_in
from domain.trumps.parts import Lead, paired, read_lead, without
from domain.trumps.ruleset import TrumpsRuleset
from domain.trumps.throwing import beats, must_read_lead
from domain.trumps.trick import winner
from schemas.notation import ORDER, PACK

FEW_TRUMPS = 4
"""With fewer trumps than this a declaration is not worth showing."""

Weight = tuple[int, ...]
"""How unwelcome a choice is, compared from the first number on."""

Cost = Callable[[Cards], Weight]

WAYS = 40
"""How many ways to meet the obligations of a follow are weighed."""


def declare(
    ruleset: TrumpsRuleset, level: str, seat: int, holding: Sequence[str], in_force: Declaration | None
) -> Declaration | None:
    """What to declare with the cards dealt so far: the suit with most trumps, if they are at least three in ten of the cards.

    The twin of an own declaration is always added (自保).
    """
    best = _longest(level, holding, declarations(ruleset, level, seat, holding, in_force))
    if best is None or (in_force is not None and in_force.seat == seat):
        return best
    trumps = _trumps(level, best.trump, holding)
    if in_force is not None and trumps <= _trumps(level, in_force.trump, holding):
        return None
    return best if trumps >= FEW_TRUMPS and 10 * trumps >= 3 * len(holding) else None


def counter(
    ruleset: TrumpsRuleset, level: str, seat: int, holding: Sequence[str], in_force: Declaration
) -> Declaration | None:
    """Whether and how to counter: with a suit that gives at least two trumps more than what is in force."""
    best = _longest(level, holding, counters(ruleset, level, seat, holding, in_force))
    if best is None or _trumps(level, best.trump, holding) < _trumps(level, in_force.trump, holding) + 2:
        return None
    return best


def _longest(level: str, holding: Sequence[str], open_to: Sequence[Declaration]) -> Declaration | None:
    return max(
        open_to, key=lambda declared: (_trumps(level, declared.trump, holding), -declared.strength), default=None
    )


def _trumps(level: str, trump: str | None, holding: Sequence[str]) -> int:
    return len(order_of(level, trump).of_suit(TRUMPS, holding))


def bury(ruleset: TrumpsRuleset, order: Order, holding: Sequence[str]) -> Cards:
    """What to bury: low cards of short suits, neither trumps nor points nor pairs."""
    length = Counter(order.suit[card] for card in holding)
    pairs = set(paired(holding))

    def worth(card: str) -> tuple[int, int]:
        trump = 1000 if order.suit[card] == TRUMPS else 0
        value = (
            order.strength[card] + 3 * length[order.suit[card]] + 2 * points_in([card]) + (15 if card in pairs else 0)
        )
        return trump + value, ORDER[card]

    return tuple(sorted(holding, key=worth)[: ruleset.kitty_cards])


def lead(
    ruleset: TrumpsRuleset, order: Order, holding: Sequence[str], gone: Iterable[str], failed: int, draw: Draw
) -> Cards:
    """What to lead: the best of `lead_hints`, with a draw among equals."""
    return _drawn(_weighed_leads(ruleset, order, holding, gone, failed), draw)


def lead_hints(
    ruleset: TrumpsRuleset, order: Order, holding: Sequence[str], gone: Iterable[str], failed: int
) -> tuple[Cards, ...]:
    """Leads in the order in which a player would want them: what no unseen card beats, longest first, then what costs least.

    `gone` are the cards this seat knows to be out of play beside its own; `failed` its failed throws in this hand.
    """
    return tuple(cards for _, cards in _weighed_leads(ruleset, order, holding, gone, failed))


def _weighed_leads(
    ruleset: TrumpsRuleset, order: Order, holding: Sequence[str], gone: Iterable[str], failed: int
) -> list[tuple[Weight, Cards]]:
    unseen = tuple((Counter(PACK) - Counter(holding) - Counter(gone)).elements())
    cost = _costs(order, holding)
    safe = {cards for cards in _safe_leads(ruleset, order, holding, unseen, failed) if _in_plain_suit(order, cards)}

    def weight(cards: Cards) -> Weight:
        return (-len(cards),) if cards in safe else (0, len(cards), *cost(cards))

    return _weighed((*safe, *leads(order, holding)), weight)


def _in_plain_suit(order: Order, cards: Cards) -> bool:
    return order.suit[cards[0]] != TRUMPS


def _safe_leads(
    ruleset: TrumpsRuleset, order: Order, holding: Sequence[str], unseen: Sequence[str], failed: int
) -> Iterator[Cards]:
    """Leads that no unseen cards of the suit beat, were they all in one hand; as throws, where more than one part is safe."""
    for suit in dict.fromkeys(order.suit[card] for card in order.sorted(holding)):
        whole = read_lead(order, order.of_suit(suit, holding))
        against = order.of_suit(suit, unseen)
        parts = [part for part in whole.parts if not beats(order, against, part)] if whole else []
        together = low_first(order, (card for part in parts for card in part.cards))
        if len(parts) > 1 and failed < ruleset.failed_throws:
            yield together
        yield from (part.cards for part in parts)


def follow(order: Order, plays: Sequence[Sequence[str]], holding: Sequence[str], draw: Draw) -> Cards:
    """What to play to a trick in which these have played: the best of `follow_hints`, with a draw among equals."""
    return _drawn(_weighed_follows(order, plays, holding), draw)


def follow_hints(order: Order, plays: Sequence[Sequence[str]], holding: Sequence[str]) -> tuple[Cards, ...]:
    """Legal follows worth playing, in the order in which a player would want them.

    Give points to a winning partner; otherwise win as cheaply as possible what holds points or closes the trick; otherwise give away
    as little as possible.
    """
    return tuple(cards for _, cards in _weighed_follows(order, plays, holding))


def _weighed_follows(
    order: Order, plays: Sequence[Sequence[str]], holding: Sequence[str]
) -> list[tuple[Weight, Cards]]:
    led = must_read_lead(order, plays[0])
    place = len(plays)
    last = place == 3
    partner_wins = place >= 2 and winner(order, plays) == place - 2
    partner_is_safe = partner_wins and (last or not _beatable_by_next(order, plays[place - 2]))
    stake = sum(map(points_in, plays))
    cost = _costs(order, holding)

    def weight(cards: Cards) -> Weight:
        if partner_is_safe:
            return -points_in(cards), *cost(cards)
        wins = not partner_wins and winner(order, (*plays, cards)) == place
        if wins and (last or stake or order.suit[cards[0]] == led.suit):
            return -1, -points_in(cards) if last else points_in(cards), *cost(cards)
        return 0, 0, *cost(cards)

    return _weighed(_candidates(order, led, holding, cost), weight)


def _beatable_by_next(order: Order, best: Sequence[str]) -> bool:
    """A guess whether the seat after may still beat the partner: not a high trump, nor the highest rungs of a suit."""
    ladder = {card: strength for card, strength in order.strength.items() if order.suit[card] == order.suit[best[0]]}
    return max(order.strength[card] for card in best) < max(ladder.values()) - 1


def _candidates(order: Order, led: Lead, holding: Sequence[str], cost: Cost) -> Iterator[Cards]:
    """Legal follows worth weighing: the ways to meet the obligations, filled up cheaply, with points, or with high cards."""
    held = order.of_suit(led.suit, holding)
    size = led.shape.size
    if len(held) > size:
        for pairs in islice(obligations(order, led, holding), WAYS):
            core = [card for card in pairs for _ in range(2)]
            yield from _filled(order, cost, core, without(held, core), size)
        return
    rest = [card for card in holding if order.suit[card] != led.suit]
    yield from _filled(order, cost, list(held), rest, size)
    if not held:
        yield from _trumping(order, led, holding, cost)


def _trumping(order: Order, led: Lead, holding: Sequence[str], cost: Cost) -> Iterator[Cards]:
    """Trump plays that match the lead (T6.4), by a seat that has none of the suit led."""
    trumps = order.of_suit(TRUMPS, holding)
    size = led.shape.size
    if len(trumps) < size or filling(order, led.shape, trumps) != full(led.shape):
        return
    for pairs in islice(obligations(order, replace(led, suit=TRUMPS), trumps), WAYS):
        core = [card for card in pairs for _ in range(2)]
        yield from _filled(order, cost, core, without(trumps, core), size)


def _filled(order: Order, cost: Cost, core: Sequence[str], rest: Iterable[str], size: int) -> Iterator[Cards]:
    by_cost = sorted(rest, key=lambda card: cost((card,)))
    more = size - len(core)
    by_points = sorted(by_cost, key=lambda card: -points_in([card]))
    by_height = sorted(by_cost, key=lambda card: -order.strength[card])
    for ranked in (by_cost, by_points, by_height) if more else (by_cost,):
        yield low_first(order, (*core, *ranked[:more]))


def _costs(order: Order, holding: Sequence[str]) -> Cost:
    """What it costs to part with cards of a holding: trumps, then points, pairs broken and height; from short suits first."""
    length = Counter(order.suit[card] for card in holding)
    pairs = set(paired(holding))
    single = {card: POINTS[card] + order.strength[card] for card in holding}

    def cost(cards: Cards) -> Weight:
        broken = sum(card in pairs and cards.count(card) == 1 for card in cards)
        trumps = sum(order.suit[card] == TRUMPS for card in cards)
        return trumps, sum(map(single.__getitem__, cards)) + 4 * broken, length[order.suit[cards[0]]]

    return cost


def _weighed(choices: Iterable[Cards], weight: Callable[[Cards], Weight]) -> list[tuple[Weight, Cards]]:
    """The choices with their weights, lightest first, each once."""
    return sorted((weight(cards), cards) for cards in set(choices))


def _drawn(weighed: Sequence[tuple[Weight, Cards]], draw: Draw) -> Cards:
    """One of the lightest."""
    lightest = [cards for weight, cards in weighed if weight == weighed[0][0]]
    return lightest[draw(len(lightest))]
