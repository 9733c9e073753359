"""Writes the published language for other programs: one JSON Schema a stored event, and an AsyncAPI document of the stream.

`make schemas` runs it; a test says that what is committed is what the models give now.
"""

import json
from pathlib import Path
from typing import Any, Final

from schemas.registry import EVENTS

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
    messages = {
        name: {
            "name": name,
            "summary": (cls.__doc__ or "").splitlines()[0],
            "contentType": "application/cloudevents+json",
            "payload": {
                "allOf": [ENVELOPE, {"properties": {"type": {"const": name}, "data": {"$ref": f"./{name}.json"}}}]
            },
        }
        for name, cls in EVENTS.items()
    }
    return {
        "asyncapi": "3.0.0",
        "info": {
            "title": "Shuangkou tables 双扣",
            "version": "1",
            "description": "The record of every table: one subject a table, one canonical CloudEvents object an event. "
            "It holds hidden cards and is for the services only.",
        },
        "channels": {
            "table": {
                "address": "sk.table.{table}",
                "parameters": {"table": {"description": "The id of the table"}},
                "messages": {name: {"$ref": f"#/components/messages/{name}"} for name in messages},
            }
        },
        "operations": {
            "follow": {
                "action": "receive",
                "channel": {"$ref": "#/channels/table"},
                "summary": "Follow a table's record",
            }
        },
        "components": {"messages": messages},
    }


ENVELOPE: Final[dict[str, Any]] = {
    "type": "object",
    "additionalProperties": False,
    "required": [
        "command",
        "data",
        "datacontenttype",
        "id",
        "prev",
        "source",
        "specversion",
        "time",
        "type",
        "version",
    ],
    "properties": {
        "command": {"type": "string", "description": "Id of the command that caused the event"},
        "data": {"type": "object"},
        "datacontenttype": {"const": "application/json"},
        "id": {"type": "string", "description": "<table>:<version>"},
        "prev": {
            "type": "string",
            "pattern": "^[0-9a-f]{64}$",
            "description": "SHA-256 of the event before, 64 zeros for the first",
        },
        "source": {"type": "string", "pattern": "^/tables/[a-z0-9][a-z0-9-]{0,63}$"},
        "specversion": {"const": "1.0"},
        "time": {"type": "string", "format": "date-time"},
        "type": {"type": "string"},
        "version": {"type": "integer", "minimum": 1, "description": "Counts the events of the table"},
    },
}
"""The attributes that every event has around its own data."""


def _text(value: dict[str, Any]) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False, sort_keys=True) + "\n"


if __name__ == "__main__":
    main()
