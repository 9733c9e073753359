"""`checkpoints`: copy the checkpoint log of a service, and check a copy. What a second party keeps an eye on the record with."""

from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from services.cli.options import AsJson, Data, Token, Url, console, print_json, settings, wrong_use


def checkpoints(
    action: Annotated[
        Literal["copy", "check"],
        typer.Argument(help="copy: fetch what is new from a service 复制; check: a copy against its signatures 核验."),
    ],
    folder: Annotated[Path, typer.Argument(help="Folder of the copy 文件夹.")],
    key: Annotated[
        list[str] | None, typer.Option("--key", help="Key of the log: a file, or the key itself 公钥 (repeatable).")
    ] = None,
    url: Url = None,
    token: Token = None,
    data: Data = None,
    json: AsJson = False,
) -> None:
    """Keep a copy of the checkpoint log, and check that it only ever grew and was signed by the key one knows 检查点日志.

    Example: shuangkou checkpoints copy witness --url https://table.example --key public-keys.json
    """
    from services.cli.verifying import trust_of
    from services.witness import check_copy, copy_log

    given = settings(url=url, token=token, data=data)
    trust = trust_of(key or [], given)
    if trust is None:
        raise wrong_use("name the key of the log with --key: its file, or the key itself (`shuangkou keys show`)")
    fetched = copy_log(folder, given, trust) if action == "copy" else None
    found = check_copy(folder, trust)
    _print({"fetched": fetched, **found}, as_json=json)


def _print(found: dict[str, Any], *, as_json: bool) -> None:
    if as_json:
        print_json(found)
        return
    from rich.text import Text

    new = "" if found["fetched"] is None else f", {found['fetched']} 新 new"
    console.print(
        Text("✓", "green"),
        f"{found['origin']}: {found['checkpoints']} 检查点 checkpoints{new}, {found['leaves']} 叶 leaves, "
        f"{found['tables']} 桌 tables: 签名 signatures, 根 roots, 只增不改 only ever grew",
        soft_wrap=True,
    )
    if found["unsigned"]:
        said = "bytes after the last leaf that was signed: being added, left by a process that died, or put there; not counted"
        console.print(f"  leaves.ndjson: {found['unsigned']} {said} 末尾有未签名的内容,不计入", soft_wrap=True)
