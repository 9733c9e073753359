"""`whatif`: leave a match after any event and see what would have come of another play. Never a record, never in the stream."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal

import typer

from services.cli.looking import Place, looked_at
from services.cli.options import (
    AsJson,
    Data,
    Token,
    Url,
    console,
    plain,
    print_json,
    print_table,
    settings,
    write_out,
    wrong_use,
)

if TYPE_CHECKING:
    from domain.whatif import Scratch
    from schemas.commands import Command

Cards = Annotated[str | None, typer.Option(metavar="CARDS", help="Do this with these cards 用这些牌.")]
WITH_CARDS: Final = ("play", "declare", "bury", "counter")
WITHOUT: Final = ("pass", "decline", "deal", "leave")


def whatif(
    place: Place,
    at: Annotated[int, typer.Option("--at", min=1, help="Leave the record after this event 从此事件之后.")],
    play: Cards = None,
    declare: Cards = None,
    bury: Cards = None,
    counter: Cards = None,
    passes: Annotated[bool, typer.Option("--pass", help="The seat to move passes 过.")] = False,
    decline: Annotated[bool, typer.Option("--decline", help="It declines 不亮/不反.")] = False,
    seat: Annotated[
        int | None, typer.Option("--seat", min=0, max=3, help="Which seat (default: the one to move).")
    ] = None,
    then: Annotated[
        list[str] | None,
        typer.Option("--then", metavar="ACT", help="And then: `play 7S 7H`, `pass`, `2: play BJ`; may be repeated."),
    ] = None,
    bots: Annotated[Literal["greedy", "random"] | None, typer.Option("--bots", help="Who plays on 谁接着打.")] = None,
    seed: Annotated[str, typer.Option("--seed", help="Any text, for what bots draw 种子.")] = "1",
    out: Annotated[Path | None, typer.Option("-o", "--out", help="Write the scratch file here 草稿文件.")] = None,
    url: Url = None,
    token: Token = None,
    data: Data = None,
    json: AsJson = False,
) -> None:
    """What would have happened with another play: by hand, by bots, or both. The result is never a record 如果当时…….

    Example: shuangkou whatif match.ndjson --at 56 --play "7S 7H" --bots greedy

    Example: shuangkou whatif t-4kq7 --at 56 --pass --then "play BJ" --bots greedy -o scratch.ndjson
    """
    from domain.bots import BOTS
    from domain.whatif import act, leave, play_on
    from schemas.envelope import read_line
    from schemas.scratch import scratch_file

    given = {"play": play, "declare": declare, "bury": bury, "counter": counter}
    first = [f"{name} {cards}" for name, cards in given.items() if cards is not None]
    first += [name for name, wanted in (("pass", passes), ("decline", decline)) if wanted]
    if len(first) > 1:
        raise wrong_use(
            "one act first (--play, --pass, --declare, --bury, --counter or --decline), the others with --then"
        )
    acts = [*(f"{seat}: {each}" if seat is not None else each for each in first), *(then or [])]
    if not acts and bots is None:
        raise wrong_use("say what happens: --play CARDS, --pass or another act, or --bots greedy")
    with looked_at(place, settings(url=url, token=token, data=data)) as looked:
        recorded = [read_line(line) for line in looked.lines]
        scratch = leave(recorded, at)
        for each in acts:
            scratch = act(scratch, _command(each, scratch.table.waiting))
        if bots is not None:
            scratch = play_on(scratch, BOTS[bots], seed)
        if out is not None:
            write_out(out, scratch_file(scratch.table.id, scratch.origin, scratch.happened))
        found = _found(scratch, recorded, out)
        if json:
            print_json(found)
        else:
            _print(scratch, plain(found))


def _command(text: str, waiting: Sequence[int]) -> "Command":
    """An act in words as a command of the seat that is named, or else of the one to move. Raises Unreadable."""
    from schemas import commands
    from schemas.notation import Unreadable, parse_cards

    who, colon, what = text.partition(":")
    name, _, cards = (what if colon else text).strip().partition(" ")
    if name == "deal":
        return commands.DealOn()
    if name not in {*WITH_CARDS, *WITHOUT} or (colon and who.strip() not in {"0", "1", "2", "3"}):
        raise Unreadable(
            f"{text!r} is no act; write `play 7S 7H`, `2: pass`; acts: {', '.join((*WITH_CARDS, *WITHOUT))}"
        )
    if not colon and not waiting:
        raise Unreadable(f"{text!r}: nobody is to move now; name the seat, like `2: {text}`, or `deal` to deal on")
    seat = int(who) if colon else waiting[0]
    if name in WITH_CARDS:
        with_cards: Mapping[str, Callable[[int, tuple[str, ...]], Command]] = {
            "play": commands.Play,
            "declare": commands.Declare,
            "bury": commands.Bury,
            "counter": commands.Counter,
        }
        return with_cards[name](seat, parse_cards(cards))
    without: Mapping[str, Callable[[int], Command]] = {
        "pass": commands.Pass,
        "decline": commands.Decline,
        "leave": commands.Leave,
    }
    return without[name](seat)


def _found(scratch: "Scratch", recorded: Sequence[Any], out: Path | None) -> dict[str, Any]:
    from domain.whatif import recorded_result
    from schemas.events import type_name

    was, would = recorded_result(scratch, recorded), scratch.result
    return {
        "record": False,
        "scratch": scratch.table.id,
        "of": scratch.origin.table,
        "at": scratch.origin.at,
        "hand": scratch.table.hands,
        "players": scratch.table.hand.players if scratch.table.hand else None,
        "over": scratch.over,
        "waiting": scratch.table.waiting,
        "events": [
            {"version": each.version, "type": type_name(type(each.event)), "data": each.event.model_dump()}
            for each in scratch.happened
        ],
        "recorded": None if was is None else {**was.facts, "score": was.score},
        "whatif": None if would is None else {**would.facts, "score": would.score},
        "file": str(out) if out else None,
    }


def _print(scratch: "Scratch", found: dict[str, Any]) -> None:
    from rich.table import Table
    from rich.text import Text

    from projections.viewing import event_for
    from services.cli import cards

    where = f"{found['of']} 第 {found['hand']} 局 hand, 事件 event {found['at']} 之后 onwards"
    console.print(
        Text("非记录 NOT A RECORD", "bold yellow"), f"{found['scratch']}: {where}", highlight=False, soft_wrap=True
    )
    for each in scratch.happened:
        console.print(cards.event_words(plain(event_for(scratch.table, each, "auditor"))), soft_wrap=True)
    if found["whatif"] is None:
        waiting = ", ".join(map(str, found["waiting"])) or "-"
        console.print(f"本局未完 the hand goes on; 等 waits for 座 {waiting} (--then, --bots)", soft_wrap=True)
    else:
        listed = Table(box=None)
        for name in ("玩家 player", "记录 recorded", "如果 what if"):
            listed.add_column(name, justify="left" if "player" in name else "right")
        was = found["recorded"]["score"] if found["recorded"] else ("-",) * 4
        for player, before, after in zip(found["players"], was, found["whatif"]["score"], strict=True):
            listed.add_row(player, str(before), Text(str(after), "bold"))
        print_table(listed)
    if found["file"]:
        console.print(f"{found['file']}: 草稿 scratch, `shuangkou verify` refuses it as a record", soft_wrap=True)
