"""What it costs to leave a hand (逃跑, T8)."""

from dataclasses import dataclass

from domain.seats import SEATS, partner_of, side_of
from domain.trumps.ruleset import TrumpsRuleset
from schemas.explanation import Why

ALL_POINTS = 200
"""The points of both packs (T7.1)."""


@dataclass(frozen=True, slots=True)
class Captured:
    """Points when somebody leaves: taken in tricks by each side, penalties for and against the attackers, and in the kitty as it is."""

    declarers: int = 0
    attackers: int = 0
    penalties: int = 0
    kitty: int = 0


@dataclass(frozen=True, slots=True)
class Escape:
    """The scores of a hand that a player left. `most` is M, what each opponent could still have got."""

    most: int
    scores: tuple[int, int, int, int]
    why: tuple[Why, ...]


def escape(ruleset: TrumpsRuleset, leaver: int, declarer: int | None, captured: Captured) -> Escape:
    """What the seats get when one leaves. `declarer` is None while declarations may still decide who declares (T8.5)."""
    ways = []
    if declarer is None or side_of(declarer) == side_of(leaver):
        ways.append(_as_attackers(ruleset, captured))
    if declarer is None or side_of(declarer) != side_of(leaver):
        ways.append(_as_declarers(ruleset, captured))
    most, why = max(ways, key=lambda way: way[0])
    scores = _scores(ruleset, leaver, most)
    return Escape(most, scores, (*why, *_score_why(leaver, scores, most)))


def _as_attackers(ruleset: TrumpsRuleset, captured: Captured) -> tuple[int, tuple[Why, ...]]:
    open_points = ALL_POINTS - captured.declarers - captured.kitty
    points = max(open_points + ruleset.escape_kitty * captured.kitty + captured.penalties, ruleset.least_points)
    most = -ruleset.results.row(points).each
    return most, (
        Why(
            "points",
            "T8.1",
            None,
            open_points,
            None,
            f"200 - {captured.declarers} taken by the declaring side - {captured.kitty} in the kitty = {open_points}",
            f"200 - 庄家方已得{captured.declarers} - 底牌{captured.kitty} = {open_points}",
        ),
        Why(
            "kitty",
            "T8.1",
            None,
            captured.kitty * ruleset.escape_kitty,
            None,
            f"the kitty counts {ruleset.escape_kitty} × {captured.kitty}",
            f"底牌{captured.kitty}分×{ruleset.escape_kitty}",
        ),
        *_penalties_why(captured),
        _most_why(points, most, "T8.1", "as attackers", "作为抓分方"),
    )


def _as_declarers(ruleset: TrumpsRuleset, captured: Captured) -> tuple[int, tuple[Why, ...]]:
    points = max(captured.attackers + captured.penalties, ruleset.least_points)
    most = ruleset.results.row(points).each
    en, zh = f"the attackers have taken {captured.attackers}", f"抓分方已得{captured.attackers}"
    return most, (
        Why("points", "T8.2", None, captured.attackers, None, en, zh),
        *_penalties_why(captured),
        _most_why(points, most, "T8.2", "as declaring side", "作为庄家方"),
    )


def _penalties_why(captured: Captured) -> tuple[Why, ...]:
    if not captured.penalties:
        return ()
    en = f"penalties so far {captured.penalties:+d} for the attackers"
    return (Why("penalty", "T8.5", None, captured.penalties, None, en, f"罚分至此{captured.penalties:+d}"),)


def _most_why(points: int, most: int, clause: str, role_en: str, role_zh: str) -> Why:
    en = f"T counts as {points}: {role_en} each opponent of the leaver could still get M = {most}"
    return Why("most", clause, None, most, None, en, f"T按{points}计, 逃跑者的对手{role_zh}每人最多还可得M = {most}")


def _scores(ruleset: TrumpsRuleset, leaver: int, most: int) -> tuple[int, int, int, int]:
    def score(seat: int) -> int:
        if seat == leaver:
            return -ruleset.escape_factor * max(most, 0)
        if seat == partner_of(leaver):
            return max(-most, 0)
        return most

    south, east, north, west = map(score, SEATS)
    return south, east, north, west


def _score_why(leaver: int, scores: tuple[int, int, int, int], most: int) -> tuple[Why, ...]:
    clause = "T8.3" if most >= 1 else "T8.4"
    return tuple(
        Why(
            "score",
            clause,
            seat,
            scores[seat],
            None,
            f"seat {seat} {_role_en(leaver, seat)}: {scores[seat]:+d}",
            f"{seat}号位{_role_zh(leaver, seat)}: {scores[seat]:+d}",
        )
        for seat in SEATS
    )


def _role_en(leaver: int, seat: int) -> str:
    return (
        "left"
        if seat == leaver
        else "is the leaver's partner"
        if seat == partner_of(leaver)
        else "is an opponent of the leaver"
    )


def _role_zh(leaver: int, seat: int) -> str:
    return "逃跑" if seat == leaver else "为逃跑者的搭档" if seat == partner_of(leaver) else "为逃跑者的对手"
