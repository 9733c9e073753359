"""Committed and revealed chance: everything random about a hand follows from its seed.

A seed is 32 bytes as 64 hexadecimal digits. Before the deal its commitment is recorded; when the hand is over the seed is, and anybody can
compute both again. Numbers come from HMAC-SHA256 (RFC 2104) keyed with the seed over a label that names table, hand and purpose, so no two
draws share a number; they are taken as 32-bit words and a word that would favour some results is thrown away, so all results are equally
likely (Fisher-Yates, Knuth vol. 2, 3.4.2).
"""

import hashlib
import hmac
import re
from collections.abc import Callable, Iterable, Iterator
from typing import Final

from schemas.notation import PACK, Unreadable

SEED: Final = re.compile(r"[0-9a-f]{64}")


def commitment(seed: str, table: str, hand: int) -> str:
    """What is published of a seed before the deal: 64 hexadecimal digits that fix the seed without telling it."""
    return _mac(seed, f"shuangkou/commitment/1|{table}|{hand}").hex()


def derived_seed(secret: bytes, table: str, hand: int) -> str:
    """The seed of a hand out of a secret of at least 16 bytes: the same secret deals the same hand again after a crash."""
    return hmac.digest(secret, f"shuangkou/seed/1|{table}|{hand}".encode(), hashlib.sha256).hex()


def salted(seed: str, table: str, hand: int, salts: Iterable[tuple[int, str]]) -> str:
    """The seed with what players added to it, by seat, so that neither they nor the table alone decide the deal; without any, the seed."""
    added = "|".join(f"{seat}={salt}" for seat, salt in salts)
    return _mac(seed, f"shuangkou/salted/1|{table}|{hand}|{added}").hex() if added else seed


def secret_of(text: str) -> bytes:
    """The secret behind a simulated match, whose deals follow from a text that everybody may know."""
    return hashlib.sha256(f"shuangkou/simulation/1|{text}".encode()).digest()


def drawer(seed: str, table: str, hand: int, purpose: str) -> Callable[[int], int]:
    """A function that draws a number below n, one after the other. The purpose keeps different uses of a seed apart."""
    words = _words(seed, f"shuangkou/draw/1|{table}|{hand}|{purpose}")

    def draw(n: int) -> int:
        limit = (1 << 32) - (1 << 32) % n
        return next(word for word in words if word < limit) % n

    return draw


def shuffled_pack(seed: str, table: str, hand: int) -> tuple[str, ...]:
    """The 108 cards in the order in which they are dealt, one at a time from seat 0 on."""
    draw = drawer(seed, table, hand, "shuffle")
    pack = list(PACK)
    for last in range(len(pack) - 1, 0, -1):
        other = draw(last + 1)
        pack[last], pack[other] = pack[other], pack[last]
    return tuple(pack)


def check_seed(seed: str) -> None:
    """Raise Unreadable unless the text is a seed."""
    if not SEED.fullmatch(seed):
        raise Unreadable("seed: must be 64 hexadecimal digits in lower case")


def _words(seed: str, label: str) -> Iterator[int]:
    counter = 0
    while True:
        block = _mac(seed, f"{label}|{counter}")
        for start in range(0, 32, 4):
            yield int.from_bytes(block[start : start + 4], "big")
        counter += 1


def _mac(seed: str, message: str) -> bytes:
    return hmac.digest(bytes.fromhex(seed), message.encode(), hashlib.sha256)
