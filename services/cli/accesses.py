"""`access-log`: who looked at what."""

from typing import Annotated, Any

import typer

from services.cli.options import AsJson, Data, Token, Url, console, plain, print_json, print_table, settings

WHAT = {
    "view": "牌桌 the table",
    "audit": "审计记录 the audit trail",
    "export": "比赛文件 the match file",
    "events": "实时事件 its events, live",
    "case": "争议 a case",
    "token": "再次领取座位令牌 was given the seat's token again",
}
"""What can be looked at, in words."""


def access_log(
    name: Annotated[str | None, typer.Option("--name", help="Who looked 谁.")] = None,
    table: Annotated[str | None, typer.Option("--table", help="Only this table 桌号.")] = None,
    dispute: Annotated[str | None, typer.Option("--dispute", help="Only this case 争议编号.")] = None,
    since: Annotated[str | None, typer.Option("--since", help="From this time (UTC) on, like 2026-12-01.")] = None,
    until: Annotated[str | None, typer.Option("--until", help="Up to this time (UTC), like 2026-12-01.")] = None,
    limit: Annotated[int, typer.Option("--limit", min=1, max=10_000, help="How many, the latest first.")] = 200,
    url: Url = None,
    token: Token = None,
    data: Data = None,
    json: AsJson = False,
) -> None:
    """Show every look of auditors, and of adjudicators at cases: who, when, at what, with whose eyes 访问记录.

    Also whoever was given the token of a seat that was taken already, and could look with it from then on.

    Example: shuangkou access-log --table t-4kq7 --since 2026-12-01
    """
    from services.client import Client

    asked = {"name": name, "table": table, "dispute": dispute, "since": since, "until": until, "limit": limit}
    with Client(settings(url=url, token=token, data=data), "auditor") as client:
        found = client.get("/access-log", **asked)["looks"]
    if json:
        print_json(found)
        return
    found = plain(found)
    if not found:
        console.print("没有访问记录 Nobody looked.")
        return
    print_looks(found)


def print_looks(looks: list[dict[str, Any]]) -> None:
    """Print looks as a table; ids, names and times stay whole."""
    from rich.table import Table

    listed = Table(box=None)
    for column in (
        "时间 time",
        "谁 who",
        "角色 role",
        "看了 what",
        "视角 eyes",
        "桌 table",
        "到事件 until",
        "争议 case",
    ):
        whole = column in {"时间 time", "谁 who", "桌 table", "争议 case"}
        listed.add_column(column, overflow="fold", no_wrap=whole)
    for look in looks:
        where = (look["viewer"], look["table"], str(look["until"]), look["dispute"] or "")
        listed.add_row(look["time"][:19], look["name"], look["role"], WHAT[look["what"]], *where)
    print_table(listed)
