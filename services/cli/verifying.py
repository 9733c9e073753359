"""Verifies matches and receipts, on all cores when there is enough to do."""

import os
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import orjson
from pydantic import ValidationError

from domain.proofs.keys import PublicKey, read_key
from domain.proofs.receipts import signer_of
from domain.verify import Known, Report, Trust, verify_file
from schemas.notation import Unreadable
from schemas.proofs import RECEIPT_TYPE, Receipt
from services import keys
from services.checkpoints import FOLDER
from services.cli.looking import content_of
from services.settings import Settings
from services.witness import known_of

WORTH_A_POOL: Final = 1_000_000
"""From so many bytes of matches on it pays to use more than one core: these take one core some 40 ms, and as long to start another."""
Job = tuple[bytes, Trust | None, Sequence[Known]]
"""A match file, the keys that are known, and what is known of its table."""


@dataclass(frozen=True, slots=True)
class Checked:
    """A receipt that was checked: who signed it, and whether that key was known from elsewhere; or what is wrong with it."""

    receipt: Receipt
    fault: str | None
    pinned: bool


@dataclass(frozen=True, slots=True)
class Found:
    """What was found in the files and tables that were given. `places` says for each report which of them it is of."""

    places: Sequence[str]
    reports: Sequence[Report]
    receipts: Sequence[Checked] = ()

    @property
    def clean(self) -> bool:
        """Whether nothing is wrong."""
        return all(each.clean for each in self.reports) and not any(each.fault for each in self.receipts)


def trust_of(given: Iterable[str], settings: Settings) -> Trust | None:
    """The keys that were named, each a file or the key itself; else those of the data folder, if there are any. Raises Unreadable."""
    named = [key for each in given for key in _keys(each)]
    if named:
        return Trust(tuple(named))
    if not (settings.data / keys.FILE).exists():
        return None
    ring = keys.load_ring(settings.data)
    return Trust(tuple(key.public for key in ring.keys), required=False)


def _keys(given: str) -> tuple[PublicKey, ...]:
    path = Path(given)
    if not path.is_file():
        return (read_key(given),)
    try:
        return keys.read_keys(path.read_text(encoding="utf-8"))
    except UnicodeDecodeError:
        raise Unreadable(f"{path}: this is no list of keys, nor any other text in UTF-8") from None
    except Unreadable as error:
        raise Unreadable(f"{path}: {error}") from None


def verify_places(
    places: Sequence[str], settings: Settings, trust: Trust | None, known: Mapping[str, Sequence[Known]]
) -> Found:
    """Verify match files, receipts, and tables by their service; the matches also against the receipts. Raises Failed or Unreadable."""
    contents = [content_of(place, settings) for place in places]
    receipts = [(place, _receipt(content)) for place, content in zip(places, contents, strict=True)]
    checked = [_check(found, trust) for _, found in receipts if found is not None]
    all_known = {table: list(each) for table, each in known.items()}
    for each in checked:
        if each.fault is None:
            content_ = each.receipt.receipt
            witness = Known(content_.last, content_.head, f"Receipt {content_.number}")
            all_known.setdefault(content_.table, []).append(witness)
    matches = {place: content for content, (place, found) in zip(contents, receipts, strict=True) if found is None}
    jobs = [(content, trust, all_known.get(_table_of(content), ())) for content in matches.values()]
    return Found(tuple(matches), _on_all_cores(jobs), checked)


def _verify_file(job: Job) -> Report:
    return verify_file(*job)


def _on_all_cores(jobs: Sequence[Job]) -> list[Report]:
    if len(jobs) < 2 or sum(len(content) for content, _, _ in jobs) < WORTH_A_POOL:
        return [_verify_file(job) for job in jobs]
    with ProcessPoolExecutor(min(len(jobs), os.cpu_count() or 1)) as pool:
        return list(pool.map(_verify_file, jobs))


def known_from(folder: Path | None, settings: Settings) -> dict[str, list[Known]]:
    """What a copy of the checkpoint log knows; by default what the log of the data folder does."""
    return known_of(folder or settings.data / FOLDER)


def _table_of(content: bytes) -> str:
    """The table that a match file says it is of; the verification finds out whether that is true."""
    try:
        return str(orjson.loads(content.partition(b"\n")[0])["data"]["table"])
    except (orjson.JSONDecodeError, KeyError, TypeError):
        return ""


def _receipt(content: bytes) -> Receipt | None:
    """The receipt that a file is; None when it is something else. Raises Unreadable for one that is not what a receipt should be."""
    try:
        raw = orjson.loads(content)
    except orjson.JSONDecodeError:
        return None
    if not isinstance(raw, dict) or raw.get("type") != RECEIPT_TYPE:
        return None
    try:
        return Receipt.model_validate(raw)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        raise Unreadable(f"receipt: {'.'.join(map(str, first['loc']))}: {first['msg']}") from None


def _check(receipt: Receipt, trust: Trust | None) -> Checked:
    try:
        key = signer_of(receipt)
    except Unreadable as error:
        return Checked(receipt, f"{error}. 回执无效。", pinned=False)
    pinned = trust is not None and trust.pins(key) and trust.held_at(key, receipt.receipt.time)
    if trust is not None and trust.required and not pinned:
        return Checked(
            receipt,
            f"It is signed by key {key.id} of {key.name}, not by the key that was pinned. 签名公钥不符。",
            pinned,
        )
    return Checked(receipt, None, pinned)
