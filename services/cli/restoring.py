"""`restore`: the stream back from its archive."""

from typing import Annotated, Any, Literal

import typer

from services.cli.options import AsJson, Data, console, print_json, settings


def restore(
    data: Data = None,
    nats: Annotated[
        str | None, typer.Option("--nats", help="NATS URL (default: the server of the data folder, started for it).")
    ] = None,
    db: Annotated[str | None, typer.Option("--db", help="Database URL of the views.")] = None,
    archive: Annotated[
        str | None,
        typer.Option("--from", help="Folder or s3://bucket/prefix 归档位置 (default: that of the data folder)."),
    ] = None,
    set_aside: Annotated[
        bool,
        typer.Option("--set-aside", help="Keep a damaged stream in another folder and begin a new one 移开损坏的流."),
    ] = False,
    incomplete: Annotated[
        bool, typer.Option("--incomplete", help="Also tables of which something is lost, up to there 不完整的牌桌.")
    ] = False,
    with_faults: Annotated[
        bool, typer.Option("--with-faults", help="Also tables that do not verify, as they were recorded 有问题的牌桌.")
    ] = False,
    prefer: Annotated[
        Literal["archive", "audit", "stream"] | None,
        typer.Option("--prefer", help="Which source holds where the record went two ways 以何者为准."),
    ] = None,
    other_seeds: Annotated[
        bool, typer.Option("--other-seeds", help="Also hands that another deal key dealt 其他密钥所发的局.")
    ] = False,
    unseen: Annotated[
        bool,
        typer.Option("--unseen", help="Also what only the archive has, though the audit timeline should 仅归档有的."),
    ] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what would be done 只预演.")] = False,
    json: AsJson = False,
) -> None:
    """Restore the stream from the archive, the audit timeline and whatever it still holds itself 从归档恢复.

    Every file is checked and every table verified before anything is written, also against the checkpoint log and the deal key of the
    data folder; what is in the stream is never overwritten. It can be repeated, also after it was killed. Stop `up` first.

    Example: shuangkou restore --set-aside
    """
    from dataclasses import asdict
    from time import perf_counter

    from services.cli.reconciling import bar
    from services.recovery.carrying_out import Wish
    from services.recovery.carrying_out import restore as carry_out
    from services.settings import keep_private

    keep_private()
    began = perf_counter()
    given = settings(data=data, nats=nats, db=db, archive=archive)
    given = given.model_copy(update={"data": given.data.resolve()})
    outcome = carry_out(given, Wish(set_aside, with_faults, incomplete, prefer, dry_run, other_seeds, unseen), bar)
    if json:
        print_json(asdict(outcome))
    else:
        _print(outcome, perf_counter() - began, dry=dry_run)


def _print(outcome: Any, took: float, *, dry: bool) -> None:
    from rich.text import Text

    for note in outcome.notes:
        console.print(f"  {note}", markup=False, soft_wrap=True)
    copies = ", ".join(f"{name} {count:,}" for name, count in outcome.sources.items())
    console.print(f"来源 events read: {copies}", soft_wrap=True)
    if outcome.set_aside:
        console.print(f"损坏的流 the damaged stream is in {outcome.set_aside}", markup=False, soft_wrap=True)
    if dry:
        console.print(
            f"将恢复 would be in the stream: {outcome.tables:,} 桌 tables, {outcome.events:,} 事件 events",
            soft_wrap=True,
        )
        return
    console.print(
        Text("已恢复 restored:", "green"),
        f"{outcome.tables:,} 桌 tables, {outcome.events:,} 事件 events, {outcome.written:,} 写入 written, "
        f"{took:.1f} s; 所有链头一致 all heads are equal",
        soft_wrap=True,
    )
    if outcome.numbered == outcome.events:
        console.print(
            "每个事件仍在原来的位置 every event has the number it had: the views go on as they are", soft_wrap=True
        )
        return
    console.print("部分事件有了新的编号 some events have other numbers than they had", soft_wrap=True)
    if outcome.emptied:
        console.print(f"  这些视图将重建 these views begin anew: {', '.join(outcome.emptied)}", soft_wrap=True)
    elsewhere = "shuangkou project NAME --rebuild, shuangkou serve spectate --rebuild"
    console.print(f"  别处的视图与公开流 views elsewhere and the public stream: {elsewhere}", soft_wrap=True)
