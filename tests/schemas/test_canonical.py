"""Canonical JSON is RFC 8785's, judged by an independent implementation; the envelope takes what is right and names what is wrong."""

from typing import Any

import orjson
import pytest
import rfc8785
from hypothesis import given
from hypothesis import strategies as st

from domain.simulate import simulate
from schemas.canonical import canonical, has_float
from schemas.envelope import check_line
from schemas.events import Event
from schemas.notation import Unreadable
from schemas.registry import EVENTS
from schemas.upcasters import NEW_OPTIONS, upcast

KEYS = st.text(st.characters(min_codepoint=32, max_codepoint=126), max_size=8)
TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53) + 1, 2**53 - 1) | TEXTS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS, inner, max_size=4),
    max_leaves=20,
)


@given(st.dictionaries(KEYS, VALUES, max_size=6))
def test_the_canonical_form_is_that_of_rfc_8785(value: dict[str, Any]) -> None:
    assert canonical(value) == rfc8785.dumps(value)


@given(st.dictionaries(KEYS, VALUES, max_size=3), st.floats(allow_nan=False, allow_infinity=False))
def test_a_float_is_found_however_deep(value: dict[str, Any], number: float) -> None:
    assert not has_float(value)
    assert has_float({"a": [value, {"b": [number]}]})


@pytest.mark.parametrize("number", [2**53, -(2**53), 10**30])
def test_integers_that_javascript_would_round_are_refused(number: int) -> None:
    with pytest.raises(TypeError):
        canonical({"n": number})


def test_every_event_reads_back_as_it_was_written() -> None:
    for each in simulate("qianbian", 1, "round trip"):
        again = check_line(each.line)
        assert again == each
        assert rfc8785.dumps(orjson.loads(each.line)) == each.line


LINE = next(iter(simulate("basic", 1, "envelope"))).line


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"version": 0}, "version"),
        ({"version": "1"}, "version"),
        ({"source": "/elsewhere"}, "source"),
        ({"type": "shuangkou.unheard-of.v1"}, "type"),
        ({"id": "other:1"}, "id"),
        ({"time": "yesterday"}, "time"),
        ({"specversion": "2.0"}, "specversion"),
        ({"extra": 1}, "extra"),
        ({"data": []}, "data"),
        ({"data": {"family": "climbing"}}, r"data\.ruleset"),
        ({"command": None}, "command"),
    ],
)
def test_a_line_that_is_no_event_names_the_attribute(change: dict[str, Any], words: str) -> None:
    with pytest.raises(Unreadable, match=words):
        check_line(canonical({**orjson.loads(LINE), **change}))


@pytest.mark.parametrize("line", [b"", b"null", b"[]", b"{", b"1.0", LINE + b" ", LINE.replace(b":", b": ", 1)])
def test_a_line_in_another_form_is_refused(line: bytes) -> None:
    with pytest.raises(Unreadable):
        check_line(line)


def test_events_have_stored_names_of_their_own() -> None:
    assert all(name == f"shuangkou.{cls.TYPE}.v{cls.VERSION}" for name, cls in EVENTS.items())
    assert set(Event.__subclasses__()) == set(EVENTS.values())


def test_upcasting_follows_a_chain_and_leaves_the_stored_data_alone() -> None:
    steps = {
        "shuangkou.x.v1": ("shuangkou.x.v2", lambda data: {**data, "b": 2}),
        "shuangkou.x.v2": ("shuangkou.x.v3", lambda data: {**data, "c": data["b"] + 1}),
    }
    stored = {"a": 1}
    assert upcast("shuangkou.x.v1", stored, steps) == ("shuangkou.x.v3", {"a": 1, "b": 2, "c": 3})
    assert stored == {"a": 1}


@pytest.mark.parametrize("name", NEW_OPTIONS)
def test_an_old_shape_has_no_newer_options(name: str) -> None:
    options = {"hands": 2, "coins": None, name: NEW_OPTIONS[name]}
    with pytest.raises(Unreadable, match=rf"^data\.options\.{name}: table-opened\.v1 has no such option"):
        upcast("shuangkou.table-opened.v1", {"options": options})
