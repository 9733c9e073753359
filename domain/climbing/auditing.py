"""Why something was legal in a hand of the climbing family, and what else was (C3, C4, C5)."""

from collections.abc import Iterator

from domain.cards import counts_of, pick
from domain.climbing.explaining import PATTERNS
from domain.climbing.hand import Hand, words
from domain.climbing.ruleset import BombsByStars, Ruleset
from domain.climbing.tables import tables_for
from schemas.commands import Leave, Pass, Play
from schemas.notation import format_cards
from schemas.readings import Reading
from schemas.situations import Act, Choices, Reason


def choices(hand: Hand, seat: int, limit: int) -> Choices:
    """What this seat may do when it is to act: every set of ranks once, best hints first, and passing where that is allowed."""
    if seat != hand.turn:
        return Choices(acts=(), total=0)
    holding = hand.holdings[seat]
    hints = tables_for(hand.ruleset).hints(counts_of(holding), hand.lead)
    passing = (Act(do="pass", seat=seat),) if hand.best is not None else ()
    plays = (
        Act(do="play", seat=seat, cards=pick(holding, option.counts), reading=option.reading)
        for option in hints[: max(limit - len(passing), 0)]
    )
    return Choices(acts=(*passing, *plays), total=len(hints) + len(passing))


def act(hand: Hand, done: Play | Pass | Leave) -> Act:
    """What was done, with the reading that holds by the rules; None where there is none."""
    match done:
        case Play():
            reading = tables_for(hand.ruleset).read(counts_of(done.cards), hand.lead)
            return Act(do="play", seat=done.seat, cards=done.cards, reading=reading)
        case Pass():
            return Act(do="pass", seat=done.seat)
        case Leave():
            return Act(do="leave", seat=done.seat)


def reasons(hand: Hand, done: Play | Pass | Leave) -> Iterator[Reason]:
    """Why an act is allowed that no rule refuses."""
    match done:
        case Pass():
            if hand.best is not None:
                beaten = format_cards(hand.best.cards)
                yield Reason(
                    clause="C5.1",
                    en=f"Whoever does not lead may pass; {beaten} lay there.",
                    zh=f"非首家可以过牌; 桌上是 {beaten}。",
                )
        case Leave():
            yield Reason(
                clause="C5.5", en="A player may leave at any time; it ends the hand.", zh="随时可以离开; 本局中止。"
            )
        case Play():
            yield from _reasons_of_play(hand, done)


def _reasons_of_play(hand: Hand, play: Play) -> Iterator[Reason]:
    counts, tables = counts_of(play.cards), tables_for(hand.ruleset)
    reading = tables.read(counts, hand.lead)
    if reading is None:
        return
    yield Reason(clause="C3.1", en=f"It reads as a {words(reading)}.", zh=f"认定为{_zh(reading)}。")
    if reading.stands_for:
        stood = " ".join(reading.stands_for)
        yield Reason(
            clause="C3.4",
            en=f"Wildcards ({' '.join(hand.ruleset.wildcards)}) stand for {stood}.",
            zh=f"百搭代 {stood}。",
        )
    others = [each for each in tables.readings(counts) if each != reading]
    if others:
        yield _chosen(hand, others)
    lead = hand.lead
    if lead is None:
        yield Reason(clause="C5.1", en="The leader leads any pattern.", zh="首家可出任意牌型。")
    else:
        yield _beats(hand.ruleset, reading, lead)


def _chosen(hand: Hand, others: list[Reading]) -> Reason:
    """Why this reading holds and not another one of the same cards."""
    listed, listed_zh = "; ".join(map(words, others[:3])), "; ".join(map(_zh, others[:3]))
    if hand.best is None:
        return Reason(
            clause="C3.7",
            en=f"Leading, the strongest reading holds; it could also be read as {listed}.",
            zh=f"首出取最强; 也可认作{listed_zh}。",
        )
    return Reason(
        clause="C3.6",
        en=f"Answering, the strongest reading that beats the lead holds; other readings: {listed}.",
        zh=f"跟牌取能压过的最强认定; 其他认定: {listed_zh}。",
    )


def _beats(ruleset: Ruleset, reading: Reading, lead: Reading) -> Reason:
    """Why a reading beats another one, which it does (C4)."""
    if not lead.is_bomb:
        if reading.is_bomb:
            return Reason(clause="C4.1", en="A bomb beats any play that is none.", zh="炸弹压任何非炸弹。")
        return Reason(
            clause="C4.1",
            en=f"The same pattern of as many cards with a higher top rank: {reading.rank} over {lead.rank}.",
            zh=f"同牌型同张数, {reading.rank} 大于 {lead.rank}。",
        )
    if isinstance(ruleset.bombs, BombsByStars):
        return _beats_by_stars(reading, lead)
    return _beats_by_size(reading, lead)


def _beats_by_stars(reading: Reading, lead: Reading) -> Reason:
    if reading.stars > lead.stars:
        what = (f"more stars, {reading.stars} over {lead.stars}", f"星级更高, {reading.stars} 大于 {lead.stars}")
    elif reading.pattern == "four_jokers" or lead.pattern == "three_jokers":
        return Reason(
            clause="C4.6",
            en=f"Among bombs of {lead.stars} stars three jokers are the weakest and four the strongest.",
            zh=f"{lead.stars}星炸弹中三王最小, 四王最大。",
        )
    elif reading.cards < lead.cards:
        what = (
            f"as many stars with fewer cards, {reading.cards} against {lead.cards}",
            f"同星级张数更少, {reading.cards} 对 {lead.cards}",
        )
    else:
        what = (
            f"as many stars and cards with a higher rank, {reading.rank} over {lead.rank}",
            f"同星级同张数, {reading.rank} 大于 {lead.rank}",
        )
    return Reason(clause="C4.5", en=f"The stronger bomb: {what[0]}.", zh=f"更大的炸弹: {what[1]}。")


def _beats_by_size(reading: Reading, lead: Reading) -> Reason:
    if reading.pattern == "four_jokers":
        return Reason(clause="C4.3", en="Four jokers beat every other bomb.", zh="四王炸最大。")
    if "three_jokers" in (reading.pattern, lead.pattern):
        return Reason(
            clause="C4.4",
            en="Three jokers are above every bomb of five and below every bomb of six.",
            zh="三王炸大于五张炸弹, 小于六张炸弹。",
        )
    if reading.cards > lead.cards:
        return Reason(
            clause="C4.3",
            en=f"The bomb of more cards, {reading.cards} over {lead.cards}.",
            zh=f"张数更多的炸弹, {reading.cards} 大于 {lead.cards}。",
        )
    return Reason(
        clause="C4.3",
        en=f"A bomb of as many cards with a higher rank, {reading.rank} over {lead.rank}.",
        zh=f"同张数炸弹, {reading.rank} 大于 {lead.rank}。",
    )


def _zh(reading: Reading) -> str:
    stars = f", {reading.stars}星" if reading.stars else ""
    return f"{PATTERNS[reading.pattern]} {reading.rank} ({reading.cards}张{stars})"
