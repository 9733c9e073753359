"""`simulate`: a match by the domain alone."""

from pathlib import Path
from typing import Annotated, Literal

import typer

from services.cli.options import AsJson, console, print_json, write_out


def simulate(
    ruleset: Annotated[str, typer.Option("--ruleset", help="Id of the rules 规则.")],
    hands: Annotated[int, typer.Option("--hands", min=1, max=10_000, help="Hands to play 局数.")] = 4,
    seed: Annotated[str, typer.Option("--seed", help="Any text; the same seed gives the same bytes 种子.")] = "1",
    out: Annotated[Path | None, typer.Option("--out", help="Write the match file here.")] = None,
    bots: Annotated[Literal["random", "greedy"], typer.Option("--bots", help="How the players choose.")] = "random",
    sign: Annotated[
        Path | None, typer.Option("--sign", help="Sign the file with the keys of an installation, its keys.json 签名.")
    ] = None,
    json: AsJson = False,
) -> None:
    """Play a match without any server: same seed, same bytes 同种子同结果.

    Example: shuangkou simulate --ruleset huopin --hands 10 --seed 1 --out match.ndjson
    """
    import time

    from domain.proofs.sealing import sealed_match
    from domain.simulate import simulate as play
    from schemas.canonical import digest
    from schemas.events import HandScored
    from schemas.matchfile import match_file
    from schemas.trumps import HandEscaped, HandSettled
    from services.keys import read_ring

    began = time.perf_counter()
    recorded = list(play(ruleset, hands, seed, bots))
    took = time.perf_counter() - began
    lines = [each.line for each in recorded]
    data = match_file(lines) if sign is None else sealed_match(lines, read_ring(sign))
    if out is not None:
        write_out(out, data)
    scores: dict[str, int] = {}
    for each in recorded:
        if isinstance(each.event, HandScored | HandSettled | HandEscaped):
            for player, score in zip(each.event.players, each.event.score, strict=True):
                scores[player] = scores.get(player, 0) + score
    summary = {
        "table": recorded[0].table,
        "ruleset": ruleset,
        "hands": hands,
        "events": len(recorded),
        "sha256": digest(data),
        "scores": scores,
        "file": str(out) if out else None,
    }
    if json:
        print_json(summary)
        return
    console.print(
        f"{summary['table']}: {hands} 局 hands, {len(recorded)} 事件 events, "
        f"{len(recorded) / took:,.0f} events/s, SHA-256 {summary['sha256']}"
    )
    console.print("  ".join(f"{player} {score:+d}" for player, score in scores.items()))
    if out is not None:
        console.print(f"{out} ({len(data):,} bytes); check it with: shuangkou verify {out}", soft_wrap=True)
