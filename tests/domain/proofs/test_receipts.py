"""Receipts: what they say, that they come out the same whenever they are asked for, and which key signs them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.proofs.keys import Ring, Software
from domain.proofs.receipts import finished_hands, number_of, prefix_of, sign_receipt, signer_of
from domain.simulate import simulate
from domain.table import Given, decide, replay
from schemas.commands import Leave
from schemas.envelope import Recorded
from schemas.events import HandScored, HandStarted, SeedRevealed
from schemas.notation import Unreadable
from schemas.proofs import NUMBER, Receipt
from schemas.trumps import HandSettled
from tests.kit.proofs import key, ring
from tests.kit.spec import SEED, TIME, move, opened

HEX = st.text("0123456789abcdef", min_size=64, max_size=64)


def match(ruleset: str = "huopin") -> list[Recorded]:
    return list(simulate(ruleset, 2, "receipts"))


def receipts(ruleset: str = "huopin", by: Ring | None = None) -> list[Receipt]:
    return [sign_receipt(hand, by or ring()) for hand in finished_hands(match(ruleset))]


def test_a_receipt_says_what_the_hand_was_and_came_to() -> None:
    events = match()
    started = next(each for each in events if isinstance(each.event, HandStarted))
    scored = next(each for each in events if isinstance(each.event, HandScored))
    last = next(each for each in events if isinstance(each.event, SeedRevealed))
    said = receipts()[0].receipt
    assert (said.table, said.hand, said.first, said.last) == (last.table, 1, started.version, last.version)
    assert (said.head, said.time, said.software) == (last.hash, last.time, "0.1.0")
    assert isinstance(scored.event, HandScored)
    assert (said.ended, said.score, said.players) == ("hand-scored", scored.event.score, scored.event.players)


def test_every_hand_that_is_over_has_one_and_no_other() -> None:
    events = match()
    assert [each.receipt.hand for each in receipts()] == [1, 2]
    assert [hand.start.hand for hand in finished_hands(events[:-20])] == [1]
    assert list(finished_hands(events[:20])) == []


def test_hands_of_trumps_have_receipts() -> None:
    settled = next(each.event for each in match("ningxia") if isinstance(each.event, HandSettled))
    said = receipts("ningxia")[0].receipt
    assert (said.ended, said.score) == ("hand-settled", settled.score)


def test_of_an_abandoned_hand_the_contributions_stand() -> None:
    before = opened("huopin", ["3S 3S 3H 3H 3C 3C 4S", "5S 6S", "7S 8S", "9S TS"])
    table = replay(before)
    for number, command in enumerate((move("0: 3S 3S 3H 3H 3C 3C"), Leave(1))):
        made = decide(table, table.id, command, Given(TIME, f"c{number}", SEED))
        table = replay(made, table)
        before += made
    (hand,) = finished_hands(before)
    said = sign_receipt(hand, ring()).receipt
    assert (said.ended, said.score) == ("hand-abandoned", (6, -2, -2, -2))


def test_it_is_the_same_receipt_whenever_it_is_asked_for() -> None:
    assert receipts() == receipts()
    assert {signer_of(each).id for each in receipts()} == {key(1).public.id}


def test_the_key_and_the_software_are_those_of_the_time() -> None:
    ends = [hand.last.time for hand in finished_hands(match())]
    new, later = key(2, ends[1]), Software("0.2.0", ends[1])
    rotated = Ring((key(1), new), (*ring().software, later))
    first, second = receipts(by=rotated)
    assert first == receipts()[0]
    assert (second.receipt.key, second.receipt.software) == (new.public.id, "0.2.0")
    assert signer_of(second).public == new.public.public


def test_what_was_before_the_first_key_is_signed_with_it() -> None:
    late = ring(key(1, "2030-01-01T00:00:00.000Z"))
    assert receipts(by=late) == receipts()


@pytest.mark.parametrize(
    "change",
    [
        {"score": (4, -4, 4, -5)},
        {"hand": 2},
        {"players": ("east", "south", "west", "mallory")},
        {"head": "0" * 64},
        {"software": "0.1.1"},
        {"number": "0000-0000-0000"},
        {"key": "00000000"},
    ],
)
def test_a_changed_receipt_is_found(change: dict[str, object]) -> None:
    mine = receipts()[0]
    changed = mine.model_copy(update={"receipt": mine.receipt.model_copy(update=change)})
    with pytest.raises(Unreadable):
        signer_of(changed)


def test_a_receipt_signed_with_another_key_names_that_key() -> None:
    assert signer_of(receipts(by=ring(key(9)))[0]).public == key(9).public.public


@given(HEX)
def test_the_number_is_the_beginning_of_the_hash(head: str) -> None:
    number = number_of(head)
    assert NUMBER.fullmatch(number)
    assert prefix_of(number) == head[:15]


@given(HEX)
def test_a_number_may_be_typed_as_people_type(head: str) -> None:
    number = number_of(head)
    assert prefix_of(number.lower().replace("-", " ")) == head[:15]
    assert prefix_of(number.replace("0", "O").replace("1", "l").replace("-", "")) == head[:15]


@pytest.mark.parametrize("number", ["", "7K2M-Q9XD", "7K2M-Q9XD-4T0A-1", "7K2M-Q9XD-4T0U", "七K2M-Q9XD-4T0A"])
def test_what_is_no_number_is_said_so(number: str) -> None:
    with pytest.raises(Unreadable, match="twelve"):
        prefix_of(number)
