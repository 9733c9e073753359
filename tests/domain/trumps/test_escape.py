"""T8: leaving a hand."""

import pytest

from domain.trumps.escape import Captured, escape
from domain.trumps.rulesets import NINGXIA

ESCAPES = [
    ("T8.1 the example: the declarer leaves", 0, 0, Captured(declarers=40, kitty=10), 4, (-16, 4, 0, 4)),
    ("T8.1 the declarer's partner leaves", 2, 0, Captured(declarers=40, kitty=10), 4, (0, 4, -16, 4)),
    ("T8.1 at the start, nothing in the kitty: 200", 0, 0, Captured(), 6, (-24, 6, 0, 6)),
    ("T8.1 40 in the kitty: 160 + 160 = 320", 1, 1, Captured(kitty=40), 12, (12, -48, 12, 0)),
    (
        "T8.5 penalties count: 200 - 40 - 10 + 40 + 10 = 200",
        0,
        0,
        Captured(declarers=40, penalties=10, kitty=10),
        6,
        (-24, 6, 0, 6),
    ),
    ("T8.4 M = 0: nobody pays", 0, 0, Captured(declarers=120), 0, (0, 0, 0, 0)),
    ("T8.4 M = -2: opponents lose 2, the partner gets 2", 0, 0, Captured(declarers=130), -2, (0, -2, 2, -2)),
    ("T8.4 M = -6: the attackers can get nothing", 1, 3, Captured(declarers=200), -6, (-6, 0, -6, 6)),
    ("T8.2 an attacker leaves, nothing taken", 1, 0, Captured(kitty=10), 6, (6, -24, 6, 0)),
    ("T8.2 an attacker leaves with 40 taken", 1, 0, Captured(attackers=40, kitty=10), 2, (2, -8, 2, 0)),
    ("T8.2 the kitty does not count for T", 3, 0, Captured(attackers=75, kitty=40), 2, (2, 0, 2, -8)),
    ("T8.5 penalties lift T to 80: M = 0", 1, 0, Captured(attackers=70, penalties=10), 0, (0, 0, 0, 0)),
    ("T8.4 an attacker leaves with 120 taken", 1, 0, Captured(attackers=120), -2, (-2, 0, -2, 2)),
    ("T8.5 a T below 0 counts as 0", 1, 0, Captured(penalties=-20), 6, (6, -24, 6, 0)),
    ("T8.5 nobody is declarer yet: the better of both roles", 2, None, Captured(kitty=30), 10, (0, 10, -40, 10)),
]


@pytest.mark.parametrize(
    ("leaver", "declarer", "captured", "most", "scores"),
    [case[1:] for case in ESCAPES],
    ids=[case[0] for case in ESCAPES],
)
def test_t8_who_pays_whom(
    leaver: int, declarer: int | None, captured: Captured, most: int, scores: tuple[int, int, int, int]
) -> None:
    settled = escape(NINGXIA, leaver, declarer, captured)
    assert settled.most == most
    assert settled.scores == scores


def test_t8_the_explanation_names_points_kitty_m_and_each_seat() -> None:
    settled = escape(NINGXIA, 0, 0, Captured(declarers=40, penalties=10, kitty=10))
    assert [(reason.kind, reason.clause, reason.seat, reason.amount) for reason in settled.why] == [
        ("points", "T8.1", None, 150),
        ("kitty", "T8.1", None, 40),
        ("penalty", "T8.5", None, 10),
        ("most", "T8.1", None, 6),
        ("score", "T8.3", 0, -24),
        ("score", "T8.3", 1, 6),
        ("score", "T8.3", 2, 0),
        ("score", "T8.3", 3, 6),
    ]
