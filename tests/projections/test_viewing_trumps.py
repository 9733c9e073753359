"""No card leaves early in the trump game either: worlds that differ only in what a viewer has not seen look the same, byte for byte."""

import random
from collections.abc import Sequence

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from domain.simulate import simulate
from domain.table import replay
from domain.trumps.hand import Hand
from projections.viewing import ALL_SEEING, event_for, view_for
from schemas.canonical import GENESIS
from schemas.envelope import Recorded, record
from schemas.events import Event
from schemas.notation import ORDER
from schemas.trumps import (
    CardsDealt,
    CardsPlayed,
    HandSettled,
    KittyBuried,
    KittyCountered,
    KittyTaken,
    KittyTurned,
    ThrowFailed,
    TrumpDeclared,
)
from schemas.views import VIEWERS, View, Viewer
from tests.projections.test_viewing import states, told


def seen(recorded: Sequence[Recorded], viewer: Viewer) -> list[bytes]:
    """All that a viewer is sent: every event and the view after it."""
    sent = []
    for table, each in zip(states(recorded), recorded, strict=True):
        sent.append(orjson.dumps(event_for(table, each, viewer)))
        sent.append(view_for(table, viewer).model_dump_json().encode())
    return sent


class Tracked:
    """Follows every single card from the pack to where it is: cards have numbers here, so that twins can be told apart.

    `written` are the numbers of the cards of each event that names hidden ones; `known` those that the viewer has seen.
    """

    def __init__(self, viewer: Viewer) -> None:
        self.viewer = viewer
        self.faces: dict[int, str] = {}
        self.holdings: list[list[int]] = [[], [], [], []]
        self.bottom: list[int] = []
        self.known: set[int] = set()
        self.written: dict[int, list[int]] = {}

    def sees(self, seat: int) -> bool:
        return self.viewer in ALL_SEEING or self.viewer == str(seat)

    def find(self, seat: int, cards: Sequence[str]) -> list[int]:
        """Which of its cards a seat shows: those that were shown before, if it can be."""
        held, found = sorted(self.holdings[seat], key=lambda card: card not in self.known), []
        for face in cards:
            card = next(card for card in held if self.faces[card] == face)
            held.remove(card)
            found.append(card)
        return found

    def take(self, version: int, event: Event) -> None:
        match event:
            case CardsDealt(first=first, cards=cards):
                self.written[version] = list(range(first, first + len(cards)))
                for card, face in enumerate(cards, first):
                    self.faces[card] = face
                    self.holdings[card % 4].append(card)
                    self.known |= {card} if self.sees(card % 4) else set()
            case KittyTurned(cards=cards):
                self.faces |= dict(enumerate(cards, 100))
                self.known |= set(range(100, 100 + len(cards)))
            case KittyTaken(seat=seat, cards=cards):
                if not self.bottom:
                    self.faces |= dict(enumerate(cards, 100))
                    self.bottom = list(range(100, 108))
                self.written[version] = list(self.bottom)
                self.holdings[seat] += self.bottom
                self.known |= set(self.bottom) if self.sees(seat) else set()
            case KittyBuried(seat=seat, cards=cards):
                buried = self.find(seat, cards)
                self.written[version] = self.bottom = buried
                self.holdings[seat] = [card for card in self.holdings[seat] if card not in buried]
            case TrumpDeclared(seat=seat, cards=cards) | KittyCountered(seat=seat, cards=cards):
                self.known |= set(self.find(seat, cards))
            case ThrowFailed(seat=seat, cards=cards):
                self.known |= set(self.find(seat, cards))
            case CardsPlayed(seat=seat, cards=cards):
                played = self.find(seat, cards)
                self.known |= set(played)
                self.holdings[seat] = [card for card in self.holdings[seat] if card not in played]
            case _:
                pass


def other_world(recorded: Sequence[Recorded], viewer: Viewer, seed: int) -> list[Recorded]:
    """The same hand with the cards that the viewer has not seen changed about among their places."""
    tracked = Tracked(viewer)
    for each in recorded:
        tracked.take(each.version, each.event)
    hidden = sorted(set(tracked.faces) - tracked.known)
    faces = [tracked.faces[card] for card in hidden]
    random.Random(seed).shuffle(faces)
    other = tracked.faces | dict(zip(hidden, faces, strict=True))
    again: list[Recorded] = []
    for each in recorded:
        event = each.event
        if each.version in tracked.written:
            cards = tuple(other[card] for card in tracked.written[each.version])
            if isinstance(event, KittyBuried):
                cards = tuple(sorted(cards, key=ORDER.__getitem__))
            event = event.model_copy(update={"cards": cards})
        prev = again[-1].hash if again else GENESIS
        again.append(record(each.table, each.version, prev, each.time, each.command, event))
    return again


def hand_of(seed: str, bot: str) -> list[Recorded]:
    return list(simulate("ningxia", 1, seed, bot))


@settings(max_examples=60)
@given(
    seed=st.integers(0, 10**6),
    cut=st.floats(0, 1, exclude_max=True),
    viewer=st.sampled_from(VIEWERS),
    otherwise=st.integers(0, 10**6),
    bot=st.sampled_from(["random", "greedy"]),
)
def test_hands_that_differ_in_unseen_cards_look_the_same(
    seed: int, cut: float, viewer: Viewer, otherwise: int, bot: str
) -> None:
    match = hand_of(f"leak {seed}", bot)
    last = next(index for index, each in enumerate(match) if isinstance(each.event, HandSettled))
    prefix = match[: 6 + int(cut * (last - 6))]
    other = other_world(prefix, viewer, otherwise)
    assert seen(other, viewer) == seen(prefix, viewer)
    assert told(other, viewer, otherwise) == told(prefix, viewer, otherwise)


def test_the_law_above_would_find_a_leak() -> None:
    match = hand_of("control", "greedy")[:60]
    other = other_world(match, "spectator", 1)
    assert seen(other, "spectator") == seen(match, "spectator")
    assert seen(other, "auditor") != seen(match, "auditor")
    assert seen(other, "2") != seen(match, "2")


def kitty_seen(view: View) -> bool:
    assert view.hand is not None
    assert view.hand.family == "trumps"
    return view.hand.kitty is not None


def test_t3_7_only_the_last_burier_knows_the_buried_cards() -> None:
    found = 0
    for number in range(200):
        match = hand_of(f"burier {number}", "random")
        at = next((i for i, each in enumerate(match) if isinstance(each.event, KittyCountered)), None)
        if at is None:
            continue
        found += 1
        before = next(each.event for each in reversed(match[:at]) if isinstance(each.event, KittyBuried))
        after = next(i for i in range(at, len(match)) if isinstance(match[i].event, KittyBuried))
        earlier, later = replay(match[:at]), replay(match[: after + 1])
        assert isinstance(later.hand, Hand)
        assert later.hand.kitty is not None
        for table, burier in ((earlier, before.seat), (later, later.hand.kitty.burier)):
            assert [kitty_seen(view_for(table, VIEWERS[seat])) for seat in range(4)] == [
                seat == burier for seat in range(4)
            ]
            assert not kitty_seen(view_for(table, "spectator"))
            assert kitty_seen(view_for(table, "auditor"))
        taken = match[at + 1]
        assert isinstance(taken.event, KittyTaken)
        shown = [event_for(replay(match[: at + 2]), taken, VIEWERS[seat])["data"]["cards"] for seat in range(4)]
        assert [cards is not None for cards in shown] == [seat == taken.event.seat for seat in range(4)]
    assert found >= 3


@pytest.mark.parametrize("viewer", VIEWERS)
def test_when_the_hand_is_over_everybody_sees_every_card(viewer: Viewer) -> None:
    view = view_for(replay(hand_of("over", "greedy")), viewer)
    assert view.hand is not None
    assert view.hand.result is not None
    assert kitty_seen(view)
