"""The shuffle is committed to, revealed, fair and repeatable."""

from collections import Counter

import pytest

from domain.shuffle import check_seed, commitment, derived_seed, drawer, shuffled_pack
from schemas.notation import PACK, Unreadable

GOLDEN = ("6H", "9C", "8H", "TC", "TS", "9D", "6D", "3C", "KD", "8S", "2C", "9S")
COMMITMENT = "3fef03c516ba8391c0b7aafda24243defcf6329c5bf54d08f92f183473b0d4f0"
SEED = derived_seed(b"a secret of the tests", "t", 1)


def test_a_seed_deals_the_same_pack_every_time_and_another_seed_another() -> None:
    pack = shuffled_pack(SEED, "t", 1)
    assert pack == shuffled_pack(SEED, "t", 1)
    assert sorted(pack) == sorted(PACK)
    others = [(derived_seed(b"another secret", "t", 1), "t", 1), (SEED, "u", 1), (SEED, "t", 2)]
    assert all(shuffled_pack(*other) != pack for other in others)


def test_the_pack_of_a_known_seed_never_changes() -> None:
    """Matches of years ago must still be dealt the same way."""
    assert shuffled_pack("0" * 64, "golden", 1)[:12] == GOLDEN
    assert commitment("0" * 64, "golden", 1) == COMMITMENT


def test_a_commitment_fits_one_seed_table_and_hand_only() -> None:
    mine = commitment(SEED, "t", 1)
    assert mine == commitment(SEED, "t", 1)
    assert len({mine, commitment(SEED, "t", 2), commitment(SEED, "u", 1), commitment("1" * 64, "t", 1)}) == 4


def test_draws_are_even() -> None:
    """Chi-square of 60,000 draws below 6: with five degrees of freedom 20.5 is passed once in a thousand; the seed is fixed."""
    draw = drawer(SEED, "t", 1, "test")
    counts = Counter(draw(6) for _ in range(60_000))
    assert sum((counts[face] - 10_000) ** 2 / 10_000 for face in range(6)) < 20.5


@pytest.mark.parametrize("seed", ["", "0" * 63, "0" * 65, "G" * 64, "A" * 64, "0" * 64 + "\n"])
def test_what_is_no_seed_is_refused(seed: str) -> None:
    with pytest.raises(Unreadable, match="seed"):
        check_seed(seed)
