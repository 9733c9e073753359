"""The keys of an installation: files of their owner, rotation, and what is noted about the software."""

import json
import stat
from datetime import UTC, datetime
from pathlib import Path

import pytest

from schemas.notation import Unreadable
from services.keys import FILE, load_ring, note_software, published, read_keys, rotate


def now() -> str:
    return f"{datetime.now(UTC).isoformat(timespec='milliseconds')[:23]}Z"


def test_they_are_made_on_first_use_for_their_owner_only(tmp_path: Path) -> None:
    ring = load_ring(tmp_path)
    assert stat.S_IMODE((tmp_path / FILE).stat().st_mode) == 0o600
    assert load_ring(tmp_path) == ring
    assert ring.current.name.startswith("shuangkou/")
    assert load_ring(tmp_path / "other").current.secret != ring.current.secret


def test_a_new_key_signs_later_and_the_old_one_what_was_before(tmp_path: Path) -> None:
    before = now()
    old = load_ring(tmp_path).current
    made = rotate(tmp_path)
    ring = load_ring(tmp_path)
    assert ring.keys == (old, made)
    assert made.name == old.name
    assert made.valid_from > now()
    assert ring.key_at(before) == ring.key_at(now()) == old
    assert ring.key_at(made.valid_from) == ring.key_at("2999-01-01T00:00:00.000Z") == made


def test_a_key_that_has_not_begun_is_not_replaced(tmp_path: Path) -> None:
    rotate(tmp_path)
    with pytest.raises(Unreadable, match="has not begun"):
        rotate(tmp_path)
    assert len(load_ring(tmp_path).keys) == 2


def test_every_process_reads_a_new_key(tmp_path: Path) -> None:
    """What one process remembers of the file is not used once another has replaced it."""
    first = load_ring(tmp_path)
    stored = json.loads((tmp_path / FILE).read_text())
    rotate(tmp_path)
    assert load_ring(tmp_path) != first
    (tmp_path / "again").write_text(json.dumps(stored))
    (tmp_path / "again").replace(tmp_path / FILE)
    assert load_ring(tmp_path) == first


def test_what_ran_when_is_noted_once(tmp_path: Path) -> None:
    before = now()
    running = load_ring(tmp_path).software[-1].version
    note_software(tmp_path)
    note_software(tmp_path, "99.0")
    note_software(tmp_path, "99.0")
    ring = load_ring(tmp_path)
    assert [each.version for each in ring.software] == [running, "99.0"]
    assert ring.software_at(before) == running
    assert ring.software_at("2999-01-01T00:00:00.000Z") == "99.0"


def test_a_broken_file_is_named_without_what_it_holds(tmp_path: Path) -> None:
    load_ring(tmp_path)
    stored = json.loads((tmp_path / FILE).read_text())
    secret = stored["keys"][0]["secret"]
    stored["keys"][0]["secret"] = secret[:-1]
    (tmp_path / FILE).write_text(json.dumps(stored))
    with pytest.raises(Unreadable, match=r"keys\.json: keys\.0\.secret") as error:
        load_ring(tmp_path)
    assert secret[:-1] not in str(error.value)


def test_what_is_shown_can_be_pinned_and_holds_no_secret(tmp_path: Path) -> None:
    rotate(tmp_path)
    ring = load_ring(tmp_path)
    shown = json.dumps(published(ring))
    assert read_keys(shown) == tuple(key.public for key in ring.keys)
    assert all(key.secret.hex() not in shown for key in ring.keys)
    words = "# our keys\n" + "\n".join(key.public.text() for key in ring.keys)
    assert [key.public for key in read_keys(words)] == [key.public.public for key in ring.keys]


@pytest.mark.parametrize("text", ["", "# nothing\n", "{}", '{"keys": []}', "hello", '{"keys": [{"id": "0"}]}'])
def test_what_is_no_list_of_keys_is_said_so(text: str) -> None:
    with pytest.raises(Unreadable):
        read_keys(text)


def test_an_id_that_does_not_belong_to_its_key_is_refused(tmp_path: Path) -> None:
    shown = published(load_ring(tmp_path))
    forged = json.dumps(shown).replace(str(shown["current"]), "00000000")
    with pytest.raises(Unreadable, match="00000000"):
        read_keys(forged)
