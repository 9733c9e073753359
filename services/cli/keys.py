"""`keys`: the signing keys of an installation."""

from typing import Annotated, Literal

import typer

from services.cli.options import AsJson, Data, console, print_json, print_table, settings


def keys(
    action: Annotated[
        Literal["show", "rotate"],
        typer.Argument(help="show: the public keys 公钥; rotate: make a new one to sign with from now on 换新钥."),
    ] = "show",
    data: Data = None,
    json: AsJson = False,
) -> None:
    """Show the public keys that this installation signs with, or make a new one. Old keys stay valid for what they signed 签名密钥.

    Example: shuangkou keys show --json > public-keys.json; shuangkou verify match.ndjson --key public-keys.json
    """
    from rich.table import Table

    from services.client import Failed
    from services.keys import FILE, load_ring, published, rotate
    from services.settings import keep_private

    keep_private()
    folder = settings(data=data).data
    if not (folder / FILE).exists():
        raise Failed(f"There is no {folder / FILE}: `shuangkou up` makes it. 没有密钥文件。")
    if action == "rotate":
        made = rotate(folder)
        if not json:
            console.print(f"新钥 new key {made.public.id} signs from {made.valid_from} on", soft_wrap=True)
    ring = load_ring(folder)
    if json:
        print_json(published(ring))
        return
    listed = Table(box=None)
    for name in ("编号 id", "自 valid from", "公钥 public key, as one word"):
        listed.add_column(name, overflow="fold")
    for key in ring.keys:
        now = " ✓" if key is ring.current else ""
        listed.add_row(key.public.id + now, key.valid_from, key.public.text())
    print_table(listed)
