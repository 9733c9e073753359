"""Writes the published language for other programs: one JSON Schema a stored event, and an AsyncAPI document of the stream.

`make schemas` runs it; a test says that what is committed is what the models give now.
"""

import json
from pathlib import Path
from typing import Any, Final

from schemas.envelope import ATTRIBUTES
from schemas.registry import EVENTS, Kind, kind_of

FOLDER: Final = Path(__file__).parent.parent / "schemas" / "generated"


def documents() -> dict[str, str]:
    """Every generated file by name, as the models give it now."""
    schemas = {name: cls.model_json_schema() for name, cls in EVENTS.items()}
    files = {f"{name}.json": _text(_titled(name, schema)) for name, schema in schemas.items()}
    files["asyncapi.json"] = _text(_asyncapi())
    return files


def main() -> None:
    """Write the files and remove those of events that are gone."""
    FOLDER.mkdir(exist_ok=True)
    wanted = documents()
    for path in FOLDER.glob("*.json"):
        if path.name not in wanted:
            path.unlink()
    for name, text in wanted.items():
        (FOLDER / name).write_text(text)


def _titled(name: str, schema: dict[str, Any]) -> dict[str, Any]:
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", "$id": f"urn:{name}", **schema}


def _asyncapi() -> dict[str, Any]:
    channels = {word: _channel(kind, word, of) for kind, word, of in CHANNELS}
    return {
        "asyncapi": "3.0.0",
        "info": {
            "title": "Shuangkou tables, disputes and looks 双扣",
            "version": "1",
            "description": "The record of every table, of every dispute, and of who looked at what: one subject each, one canonical "
            "CloudEvents object an event. They hold hidden cards and claims, and are for the services only.",
        },
        "channels": channels,
        "operations": {
            f"follow-{word}": {
                "action": "receive",
                "channel": {"$ref": f"#/channels/{word}"},
                "summary": f"Follow the record of {of}",
            }
            for _, word, of in CHANNELS
        },
        "components": {"messages": {name: _message(name) for name in EVENTS}},
    }


CHANNELS: Final[tuple[tuple[Kind, str, str], ...]] = (
    ("tables", "table", "a table"),
    ("disputes", "dispute", "a dispute"),
    ("access", "access", "the looks at a table"),
)
"""Each kind of record, the word in its subjects, and what it is of."""


def _channel(kind: Kind, word: str, of: str) -> dict[str, Any]:
    names = [name for name, cls in EVENTS.items() if kind_of(cls) == kind]
    return {
        "address": f"sk.{word}.{{id}}",
        "parameters": {"id": {"description": f"The id of {of}" if kind != "access" else "The id of the table"}},
        "messages": {name: {"$ref": f"#/components/messages/{name}"} for name in names},
    }


def _message(name: str) -> dict[str, Any]:
    cls = EVENTS[name]
    return {
        "name": name,
        "summary": (cls.__doc__ or "").splitlines()[0],
        "contentType": "application/cloudevents+json",
        "payload": {
            "allOf": [
                _envelope(kind_of(cls)),
                {"properties": {"type": {"const": name}, "data": {"$ref": f"./{name}.json"}}},
            ]
        },
    }


def _envelope(kind: Kind) -> dict[str, Any]:
    """The attributes that every event has around its own data."""
    return {
        "type": "object",
        "additionalProperties": False,
        "required": sorted(ATTRIBUTES),
        "properties": {
            "command": {"type": "string", "description": "Id of the command that caused the event"},
            "data": {"type": "object"},
            "datacontenttype": {"const": "application/json"},
            "id": {"type": "string", "description": "<id>:<version>"},
            "prev": {
                "type": "string",
                "pattern": "^[0-9a-f]{64}$",
                "description": "SHA-256 of the event before, 64 zeros for the first",
            },
            "source": {"type": "string", "pattern": f"^/{kind}/[a-z0-9][a-z0-9-]{{0,63}}$"},
            "specversion": {"const": "1.0"},
            "time": {"type": "string", "format": "date-time"},
            "type": {"type": "string"},
            "version": {"type": "integer", "minimum": 1, "description": f"Counts the events of {SUBJECT[kind]}"},
        },
    }


SUBJECT: Final = {kind: of for kind, _, of in CHANNELS}
"""What each kind of record is of."""


def _text(value: dict[str, Any]) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False, sort_keys=True) + "\n"


if __name__ == "__main__":
    main()
