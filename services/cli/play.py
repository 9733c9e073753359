"""`play`: bots play whole matches through the HTTP API, as any client would."""

import asyncio
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from services.cli.options import AsJson, Data, Token, Url, console, print_json, print_table, settings

if TYPE_CHECKING:
    from services.bots import Match


def play(
    ruleset: Annotated[str, typer.Option("--ruleset", help="Id of the rules 规则.")],
    hands: Annotated[int, typer.Option("--hands", min=1, max=10_000, help="Hands of each match 局数.")] = 4,
    tables: Annotated[int, typer.Option("--tables", min=1, max=10_000, help="Tables at once 桌数.")] = 1,
    seed: Annotated[str, typer.Option("--seed", help="The bots' choices follow from it 种子.")] = "1",
    bots: Annotated[Literal["random", "greedy"], typer.Option("--bots", help="How the bots choose.")] = "random",
    patience: Annotated[
        float, typer.Option("--patience", min=1, help="Seconds to wait for a service that is away.")
    ] = 60,
    demo: Annotated[bool, typer.Option("--demo", hidden=True)] = False,
    url: Url = None,
    token: Token = None,
    data: Data = None,
    json: AsJson = False,
) -> None:
    """Let bots play whole matches over HTTP; prints the tables and the final ledger 机器人对局.

    Example: shuangkou play --ruleset huopin --tables 8 --hands 4 --seed 1
    """
    import stamina.instrumentation
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    from services.bots import Driver, Plan

    stamina.instrumentation.set_on_retry_hooks(())  # who plays is told when it has taken too long, not of every try
    driver = Driver(settings(url=url, token=token, data=data), patience)
    if demo:
        asyncio.run(driver.demonstrate(Plan(ruleset, 100, 1, seed, bots)))
        return
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console, disable=json or not console.is_terminal, transient=True) as progress:
        task = progress.add_task("局 hands", total=tables * hands)
        matches = asyncio.run(driver.play(Plan(ruleset, hands, tables, seed, bots), lambda: progress.advance(task)))
    if json:
        print_json(
            {"tables": [match.summary() for match in matches], "commands": sum(match.commands for match in matches)}
        )
        return
    _print(matches)


def _print(matches: "list[Match]") -> None:
    from rich.table import Table

    listed = Table("桌 table", "局 hands", "事件 events", "总分 scores", box=None)
    totals: dict[str, int] = {}
    for match in matches:
        scores = "  ".join(f"{player} {score:+d}" for player, score in match.scores.items())
        listed.add_row(match.table, str(match.hands), str(match.version), scores)
        for player, score in match.scores.items():
            totals[player] = totals.get(player, 0) + score
    print_table(listed)
    ledger = Table("玩家 player", "账本 ledger", box=None)
    for player, score in sorted(totals.items(), key=lambda each: -each[1]):
        ledger.add_row(player, f"{score:+d}")
    print_table(ledger)
