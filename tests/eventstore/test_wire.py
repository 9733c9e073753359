"""The wire format: ids, headers, stream settings."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.eventstore import wire
from services.eventstore.errors import BrokenLog, TooLarge, WrongStream
from services.eventstore.wire import Layout

IDS = st.text(max_size=60)
LAYOUT = Layout("SK", "sk.table")


@given(IDS)
def test_an_id_becomes_one_plain_token_and_comes_back(key: str) -> None:
    token = wire.encode(key)
    assert re.fullmatch(r"[A-Za-z0-9_%-]+", token)
    assert wire.decode(token) == key


@given(IDS, IDS)
def test_two_ids_never_share_a_token(one: str, other: str) -> None:
    assert (wire.encode(one) == wire.encode(other)) == (one == other)


@pytest.mark.parametrize("key", ["t-1", "table_7", "0f8fad5b-d9cb-469f-a165-70867728950e"])
def test_ordinary_ids_stay_readable(key: str) -> None:
    assert LAYOUT.event(key, 3, "x", b"", None)[:2] == (f"sk.table.{key}", f"{key}:3")


def test_an_id_longer_than_a_subject_takes_is_refused() -> None:
    with pytest.raises(TooLarge, match="1024"):
        wire.encode("桌" * 200)


@given(IDS, st.text(max_size=40), st.integers(0, 2**31), st.binary(max_size=50), st.integers(1, 2**40))
def test_a_record_is_read_back_from_the_headers_that_were_written(
    key: str, topic: str, version: int, data: bytes, sequence: int
) -> None:
    write = LAYOUT.event(key, version, topic, data, 5)
    lines = "".join(f"{name}: {value}\r\n" for name, value in wire.headers(write).items())
    assert all("\r" not in value and "\n" not in value for value in wire.headers(write).values())
    raw = f"NATS/1.0\r\n{lines}\r\n".encode()
    assert LAYOUT.record(write.subject, raw, data, sequence) == (key, version, topic, data, sequence)


def test_only_the_first_event_on_a_subject_carries_the_version_check() -> None:
    writes = [LAYOUT.event("t", 1, "a", b"", 0), LAYOUT.event("t", 2, "b", b"", None)]
    made = wire.batch_headers(writes, "B")
    assert [headers.get(wire.EXPECTED) for headers in made] == ["0", None]
    assert [headers[wire.BATCH_SEQUENCE] for headers in made] == ["1", "2"]
    assert [headers.get(wire.BATCH_COMMIT) for headers in made] == [None, "1"]


def test_a_message_of_another_program_is_told() -> None:
    with pytest.raises(BrokenLog, match="another program"):
        LAYOUT.record("sk.table.t", b"NATS/1.0\r\n\r\n", b"", 9)


def test_positions_of_followers_are_not_events_of_a_table() -> None:
    assert LAYOUT.record(LAYOUT.tracking("app").subject, b"", b"", 9) is None


@pytest.mark.parametrize("stream", ["", "a b", "a.b", "a*", "a/b"])
def test_a_stream_name_that_nats_would_not_take_is_refused(stream: str) -> None:
    with pytest.raises(ValueError, match="stream name"):
        Layout(stream, "sk.table")


@pytest.mark.parametrize("prefix", ["", ".", "a.", "a..b", "a.*", "a.>", "a b"])
def test_a_prefix_that_is_not_a_literal_subject_is_refused(prefix: str) -> None:
    with pytest.raises(ValueError, match="subject prefix"):
        Layout("SK", prefix)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("storage", "memory"),
        ("retention", "workqueue"),
        ("discard", "old"),
        ("max_msgs", 1000),
        ("max_bytes", 1 << 30),
        ("max_age", 3600),
        ("max_msgs_per_subject", 1),
        ("deny_delete", False),
        ("deny_purge", False),
        ("allow_direct", False),
        ("allow_atomic", False),
        ("allow_rollup_hdrs", True),
        ("persist_mode", "async"),
        ("subjects", ["sk.>"]),
        ("mirror", {"name": "other"}),
        ("no_ack", True),
        ("allow_msg_ttl", True),
    ],
)
def test_a_stream_with_another_setting_is_refused_by_name(name: str, value: object) -> None:
    live = wire.stream_config(LAYOUT, 1) | {name: value}
    with pytest.raises(WrongStream, match=f"{name} is {re.escape(repr(value))}"):
        wire.check_stream(LAYOUT, None, live)


def test_settings_that_change_nothing_stored_are_the_operators() -> None:
    free = {
        "description": "ours",
        "republish": {"src": ">", "dest": "copy.>"},
        "duplicate_window": 5,
        "num_replicas": 3,
    }
    wire.check_stream(LAYOUT, None, wire.stream_config(LAYOUT, 1) | free)


def test_replicas_are_compared_when_asked_for() -> None:
    with pytest.raises(WrongStream, match="num_replicas is 1, not 3"):
        wire.check_stream(LAYOUT, 3, wire.stream_config(LAYOUT, 1))
