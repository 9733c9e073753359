"""`dispute`: the dispute desk from the command line. Whoever owns the data folder may act as a player or an adjudicator by name."""

from pathlib import Path
from typing import Annotated, Any, Final, Literal

import typer

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

dispute = typer.Typer(no_args_is_help=True, add_completion=False, rich_markup_mode="rich")
Case = Annotated[str, typer.Argument(help="The dispute's id 争议编号.")]
As = Annotated[
    str | None,
    typer.Option(
        "--as", help="Act under this name, with the key in the data folder, when no token is given 以此人身份."
    ),
]

ROLES: Final = ("operator", "auditor", "adjudicator")
"""Whose tokens the data folder holds."""
Viewer = Annotated[
    str,
    typer.Option(
        "--as", help="operator, auditor, adjudicator, or a name: a party's, or its adjudicator's 身份.", metavar="WHO"
    ),
]

STATUS = {
    "open": "待分配 open",
    "assigned": "待裁决 assigned",
    "ruled": "已裁决 ruled",
    "withdrawn": "已撤回 withdrawn",
}
OUTCOME = {
    "upheld": "维持原记录 the record is upheld",
    "voided": "本局作废 the hand is void",
    "adjusted": "调整金额 amounts are adjusted",
}


@dispute.callback()
def desk() -> None:
    """The dispute desk 争议裁决: raise, read, attach to, assign and rule on disputes.

    Example: shuangkou dispute raise t-4kq7 --hand 2 --claim "I had passed." --as ann
    """


@dispute.command("raise")
def raise_(
    table: Annotated[str, typer.Argument(help="Table id 桌号.")],
    claim: Annotated[str, typer.Option("--claim", help="What is wrong, in words 主张.")],
    hand: Annotated[int | None, typer.Option("--hand", min=1, help="Which hand 第几局.")] = None,
    event: Annotated[int | None, typer.Option("--event", min=1, help="Which event of the table 事件号.")] = None,
    player: As = None,
    url: Url = None,
    token: Token = None,
    data: Data = None,
    json: AsJson = False,
) -> None:
    """Raise a dispute about a table, a hand or an event, as a player of the table 提出争议.

    Example: shuangkou dispute raise t-4kq7 --event 31 --claim "That was not my card." --as ann
    """
    given = _given("player", player, {"url": url, "token": token, "data": data}, table)
    body = {"table": table, "hand": hand, "event": event, "claim": claim}
    _done(_post(given, "player", "/disputes", body), json=json)


@dispute.command("list")
def list_(
    status: Annotated[
        Literal["open", "assigned", "overdue", "ruled", "withdrawn"] | None,
        typer.Option("--status", help="open: waiting for a ruling; overdue: past its date 状态."),
    ] = None,
    table: Annotated[str | None, typer.Option("--table", help="Only this table 桌号.")] = None,
    viewer: Viewer = "operator",
    url: Url = None,
    token: Token = None,
    data: Data = None,
    json: AsJson = False,
) -> None:
    """List disputes, those with the nearest date first 争议列表.

    Example: shuangkou dispute list --status overdue
    """
    from services.client import Client

    given = {"url": url, "token": token, "data": data}
    if viewer not in ROLES and table is None:
        raise wrong_use("a player's disputes are those of one table: give --table, or --as operator")
    with Client(*_reader(viewer, given, table)) as client:
        found = client.get("/disputes", status=status, table=table, limit=1000)["disputes"]
    if json:
        print_json(found)
    elif not found:
        console.print("没有争议 There are no disputes.")
    else:
        _print_list(plain(found))


@dispute.command("show")
def show(
    case: Case,
    viewer: Viewer = "operator",
    url: Url = None,
    token: Token = None,
    data: Data = None,
    json: AsJson = False,
) -> None:
    """Show a case: claim, date, what the record says of it, evidence and ruling 查看争议.

    Example: shuangkou dispute show d-4kq7 --as adjudicator
    """
    from services.client import Client

    with Client(*_in_case(viewer, {"url": url, "token": token, "data": data}, case)) as client:
        found = client.get(f"/disputes/{case}")
        found["examination"] = client.get(f"/disputes/{case}/examination")
    if json:
        print_json(found)
        return
    _print_case(found["case"])
    _print_others(found["others"])
    _print_examination(plain(found["examination"]), found["case"]["table"])


@dispute.command("attach")
def attach(
    case: Case,
    text: Annotated[str | None, typer.Option("--text", help="A text 文字.")] = None,
    file: Annotated[
        Path | None,
        typer.Option("--file", exists=True, dir_okay=False, help="A file; of a large one its SHA-256 文件."),
    ] = None,
    viewer: Viewer = "operator",
    url: Url = None,
    token: Token = None,
    data: Data = None,
    json: AsJson = False,
) -> None:
    """Attach evidence: a text, or a file (of one over 40 KiB its name and SHA-256) 提交证据.

    Example: shuangkou dispute attach d-4kq7 --file screen.png --as ann
    """
    import hashlib
    from base64 import b64encode

    from domain.dispute import MAX_FILE

    if (text is None) == (file is None):
        raise wrong_use("attach takes either --text or --file")
    if file is None:
        body: dict[str, Any] = {"text": text}
    else:
        content = file.read_bytes()
        body = {"name": file.name, "sha256": hashlib.sha256(content).hexdigest()}
        if len(content) <= MAX_FILE:
            body["content"] = b64encode(content).decode()
    chosen, role = _in_case(viewer, {"url": url, "token": token, "data": data}, case)
    answered = _post(chosen, role, f"/disputes/{case}/evidence", body)
    _done(answered, json=json)
    if not json:
        console.print(f"证据 evidence {_piece(answered['case']['evidence'][-1])}", markup=False, soft_wrap=True)


@dispute.command("fetch")
def fetch(
    case: Case,
    number: Annotated[int, typer.Argument(min=1, help="Which piece of evidence 证据号.")],
    output: Annotated[Path, typer.Option("-o", "--output", help="Write the file here 保存为.")],
    viewer: Viewer = "operator",
    url: Url = None,
    token: Token = None,
    data: Data = None,
) -> None:
    """Fetch a file that was attached as evidence 取回证据文件.

    Example: shuangkou dispute fetch d-4kq7 1 -o screen.png
    """
    from services.client import Client

    with Client(*_in_case(viewer, {"url": url, "token": token, "data": data}, case)) as client:
        content = client.answer(f"/disputes/{case}/evidence/{number}").content
    write_out(output, content)
    console.print(f"{plain(str(output))} ({len(content):,} bytes)", soft_wrap=True)


@dispute.command("assign")
def assign(
    case: Case,
    adjudicator: Annotated[str, typer.Argument(help="Who is to rule, by the name in their token 裁决人.")],
    by: Annotated[str | None, typer.Option("--by", help="Until when, like 2026-12-24 裁决期限.")] = None,
    url: Url = None,
    token: Token = None,
    data: Data = None,
    json: AsJson = False,
) -> None:
    """Assign an adjudicator, as an operator 分配裁决人.

    Example: shuangkou dispute assign d-4kq7 adjudicator --by 2026-12-24
    """
    body = {"adjudicator": adjudicator, "respond_by": by}
    given = settings(url=url, token=token, data=data)
    answered = _post(given, "operator", f"/disputes/{case}/assignments", body)
    _done(answered, json=json)
    if not json and answered["new_adjudicator"]:
        said = f"注意 note: {plain(adjudicator)} 此前未接手或查看过争议, 如有笔误请重新分配 was never given a case nor looked at one before"
        console.print(f"{said}; if that is a slip, assign it again", style="yellow", markup=False, soft_wrap=True)


@dispute.command("rule")
def rule(
    case: Case,
    outcome: Annotated[Literal["upheld", "voided", "adjusted"], typer.Argument(help="What the ruling says 裁决.")],
    reason: Annotated[str, typer.Option("--reason", help="Why, in words 理由.")],
    amount: Annotated[
        list[str] | None, typer.Option("--amount", help="PLAYER=AMOUNT, once a player, for `adjusted` 金额.")
    ] = None,
    house: Annotated[
        bool, typer.Option("--house", help="What is left stands against the house 差额由庄家承担.")
    ] = False,
    hand: Annotated[int | None, typer.Option("--hand", min=1, help="Which hand, where the case names none 局.")] = None,
    name: As = None,
    url: Url = None,
    token: Token = None,
    data: Data = None,
    json: AsJson = False,
) -> None:
    """Rule on a case, as its adjudicator; what follows for the ledger is posted at once 裁决.

    Example: shuangkou dispute rule d-4kq7 adjusted --amount ann=7.5 --amount bob=-7.5 --reason "Event 31 was a slip."
    """
    from services.client import Client

    amounts = [_amount(text) for text in amount or ()]
    if (outcome == "adjusted") != bool(amounts):
        raise wrong_use("`adjusted` takes --amount PLAYER=AMOUNT, the other rulings take none")
    body = {"outcome": outcome, "reason": reason, "hand": hand, "amounts": amounts, "house": house}
    given = _given("adjudicator", name, {"url": url, "token": token, "data": data})
    _done(_post(given, "adjudicator", f"/disputes/{case}/rulings", body), json=json)
    if not json:
        with Client(given, "adjudicator") as client:
            _print_others(client.get(f"/disputes/{case}")["others"])


@dispute.command("withdraw")
def withdraw(
    case: Case,
    reason: Annotated[str, typer.Option("--reason", help="Why, if one wants to say 理由.")] = "",
    player: As = None,
    url: Url = None,
    token: Token = None,
    data: Data = None,
    json: AsJson = False,
) -> None:
    """Withdraw a dispute, as who raised it 撤回争议.

    Example: shuangkou dispute withdraw d-4kq7 --as ann
    """
    given = {"url": url, "token": token, "data": data}
    chosen = _given("player", player, given, _table_of(given, case) if player is not None else None)
    _done(_post(chosen, "player", f"/disputes/{case}/withdrawal", {"reason": reason}), json=json)


def _given(role: Literal["player", "adjudicator"], name: str | None, given: dict[str, Any], table: Any = None) -> Any:
    """The settings, with a token of this name signed by the data folder's key where `--as` says so. Raises wrong use without either."""
    from services.auth import Tokens
    from services.settings import load_secrets

    chosen = settings(**given)
    if chosen.token is None and name is not None:
        if not (chosen.data / "secrets.json").exists():
            raise wrong_use(f"--as needs the key of the installation, which is not in {chosen.data}; give a --token")
        tokens = Tokens(load_secrets(chosen.data))
        signed = tokens.sign(role, sub=name) if role != "player" else tokens.sign(role, table=table, player=name)
        return chosen.model_copy(update={"token": signed})
    if chosen.token is None and role == "player":
        raise wrong_use(
            "this is for a player of the table: give the --token of the seat, or --as NAME on your own data folder"
        )
    return chosen


def _reader(viewer: str, given: dict[str, Any], table: str | None) -> tuple[Any, str]:
    """Settings and role of who reads: a role of the data folder, a player by name where a table is given, else an adjudicator by name."""
    if viewer in ROLES:
        return settings(**given), viewer
    role: Literal["player", "adjudicator"] = "adjudicator" if table is None else "player"
    return _given(role, viewer, given, table), role


def _in_case(viewer: str, given: dict[str, Any], case: str) -> tuple[Any, str]:
    """Settings and role of who acts or reads in a case: a role of the data folder, a party by name, else an adjudicator by name."""
    about = None if viewer in ROLES else _case_of(given, case)
    return _reader(viewer, given, about["table"] if about is not None and viewer in about["players"] else None)


def _case_of(given: dict[str, Any], case: str) -> dict[str, Any]:
    """A case as the house sees it."""
    from services.client import Client

    with Client(settings(**given)) as client:
        found: dict[str, Any] = client.get(f"/disputes/{case}")["case"]
    return found


def _table_of(given: dict[str, Any], case: str) -> str:
    """The table that a case is about."""
    return str(_case_of(given, case)["table"])


def _post(chosen: Any, role: str, path: str, body: dict[str, Any]) -> dict[str, Any]:
    """Send a command without the fields that were not given."""
    from services.client import Client

    with Client(chosen, role) as client:
        answered: dict[str, Any] = client.post(path, {name: value for name, value in body.items() if value is not None})
    return answered


def _amount(text: str) -> dict[str, str]:
    player, sign, amount = text.rpartition("=")
    if not sign:
        raise wrong_use(f"--amount {text!r}: must be PLAYER=AMOUNT, like ann=-7.5")
    return {"player": player, "amount": amount.removeprefix("+")}


def _done(answered: dict[str, Any], *, json: bool) -> None:
    if json:
        print_json(answered)
        return
    case = plain(answered["case"])
    console.print(f"争议 dispute {case['dispute']}: {STATUS[case['status']]}", soft_wrap=True)
    console.print(f"桌 table {case['table']}{_about(case)}", markup=False, soft_wrap=True)
    if case["status"] == "open":
        console.print(f"裁决期限 a ruling is due by {case['respond_by'][:10]}; 待分配 to be assigned by the operator")
    elif case["status"] == "assigned":
        said = f"裁决人 adjudicator {case['adjudicator']}, 期限 due by {case['respond_by'][:10]}"
        console.print(said, markup=False, soft_wrap=True)
    for entry in (case["ruling"] or {}).get("entries", ()):
        console.print(f"  {entry['account']} {entry['amount']} {entry['unit']}", markup=False, soft_wrap=True)


def _print_list(found: list[dict[str, Any]]) -> None:
    from rich.table import Table

    listed = Table(box=None)
    for column in (
        "争议 dispute",
        "状态 status",
        "桌 table",
        "提出 raised by",
        "主张 claim",
        "期限 date",
        "裁决人 adjudicator",
    ):
        listed.add_column(column, no_wrap=column == "争议 dispute")
    for row in found:
        where = row["table"] + (f" 局 hand {row['hand']}" if row["hand"] else "")
        date = row["respond_by"][:10] + (" 逾期 overdue" if row["overdue"] else "")
        said = (row["player"], row["claim"][:60], date, row["adjudicator"] or "–")
        listed.add_row(row["dispute"], STATUS[row["status"]], where, *said)
    print_table(listed)


def _text(text: str) -> str:
    """What somebody wrote, perhaps in several lines: those after the first stand under it, so that none looks like one of ours."""
    return "\n    ".join(map(plain, text.expandtabs(4).split("\n")))


def _about(case: dict[str, Any]) -> str:
    """The hand and the event that a case is about."""
    words = (("hand", "局 hand"), ("event", "事件 event"))
    return "".join(f", {word} {case[name]}" for name, word in words if case[name])


def _piece(piece: dict[str, Any]) -> str:
    """A piece of evidence; of a file that is not kept that it is not, so that its owner keeps it."""
    what = _text(piece["text"]) if piece["text"] else f"{plain(piece['name'])} (SHA-256 {piece['sha256'][:16]}…)"
    if piece["kind"] == "digest":
        what += ", 只记录了摘要, 请自行保存文件 only its SHA-256 is kept here: keep the file yourself"
    return f"{piece['number']}, {plain(piece['by'])}: {what}"


def _print_case(case: dict[str, Any]) -> None:
    overdue = ", 逾期 overdue" if case["overdue"] else ""
    lines = [
        f"争议 dispute {case['dispute']}: {STATUS[case['status']]}{overdue}",
        f"桌 table {case['table']}{_about(case)}",
        f"{plain(case['player'])}: {_text(case['claim'])}",
        f"当事人 parties: {', '.join(plain(case['players']))}",
        f"裁决人 adjudicator: {plain(case['adjudicator']) or '–'}, 期限 date {case['respond_by']}",
    ]
    lines += [f"证据 evidence {_piece(piece)}" for piece in case["evidence"]]
    ruling = case["ruling"]
    if ruling:
        lines.append(f"裁决 ruling: {OUTCOME[ruling['outcome']]} ({plain(ruling['adjudicator'])}, {ruling['time']})")
        lines.append(f"理由 reason: {_text(ruling['reason'])}")
        lines += [f"  {plain(entry['account'])} {entry['amount']} {entry['unit']}" for entry in ruling["entries"]]
    for line in lines:
        console.print(line, markup=False, soft_wrap=True)


def _print_others(others: list[dict[str, Any]]) -> None:
    """Rulings of other cases on the same hand: whoever reads or rules on this one must know of them."""
    for each in others:
        where = f"局 hand {each['hand']}" if each["hand"] else "全桌 the table"
        said = f"另有裁决 another ruling {each['dispute']} ({where}, {each['time']}): {OUTCOME[each['outcome']]}"
        console.print(f"{said}: {_text(each['reason'])}", style="yellow", markup=False, soft_wrap=True)


def _print_examination(found: dict[str, Any], table: str) -> None:
    """The table after the event, how the event came about, the score, and the check of the record."""
    from services.cli import cards, situations
    from services.cli.books import print_score
    from services.cli.looking import HANDHELD

    console.print(cards.view(found["view"], narrow=console.width < HANDHELD))
    if found["situation"] is not None:
        legal = "合规 legal" if found["situation"]["legal"] else "违规 against the rules"
        console.print(f"事件 event {found['situation']['version']}: {legal}", markup=False)
        console.print(situations.panel(found["situation"]))
    result = found["result"]
    if result is not None and "why" in result:
        print_score(result["type"], {**result, "event": f"{table}:{result['version']}"})
    report = found["verification"]
    checked = "✓ 没有问题 no fault" if report["clean"] else "✗ " + "; ".join(fault["en"] for fault in report["faults"])
    console.print(f"记录核验 the record up to event {report['until']}: {checked}", markup=False, soft_wrap=True)
