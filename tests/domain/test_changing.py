"""A named tuple changed by field does what `_replace` does."""

from typing import NamedTuple

import pytest

from domain.changing import changed


class Seat(NamedTuple):
    player: str
    number: int = 0


class Place(NamedTuple):
    number: int
    player: str


def test_it_is_what_replace_gives() -> None:
    seat = Seat("ann", 3)
    assert changed(seat, {"number": 2}) == seat._replace(number=2)
    assert changed(seat, {"number": 2, "player": "bob"}) == Seat("bob", 2)
    assert seat == Seat("ann", 3)


def test_kinds_with_the_same_fields_in_another_order_are_told_apart() -> None:
    assert changed(Seat("ann"), {"player": "bob"}) == Seat("bob")
    assert changed(Place(1, "ann"), {"player": "bob"}) == Place(1, "bob")
    assert type(changed(Place(1, "ann"), {})) is Place


def test_a_field_that_does_not_exist_is_an_error() -> None:
    with pytest.raises(KeyError):
        changed(Seat("ann"), {"colour": "red"})
