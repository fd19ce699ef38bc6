"""A reply to any step, made from the shape of its answer, for debates that are only rehearsed."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from moot.protocol.steps import Step


def example_reply(step: Step, word: str = "word") -> str:
    """Something that can be read as the answer the step wants, with `word` wherever it fits."""
    answer = step.answer
    if answer.schema is not None:
        return json.dumps(_of_schema(answer.schema.body, word))
    if answer.form is not None:
        return answer.written({one["name"]: _of_field(one, word) for one in answer.form["fields"]})
    return f"A few words: {word}."


def _of_schema(schema: Mapping[str, Any], word: str) -> Any:
    if "enum" in schema:
        return schema["enum"][0]
    match schema.get("type"):
        case "object":
            return {key: _of_schema(one, word) for key, one in schema["properties"].items()}
        case "integer" | "number":
            return schema.get("minimum", 1)
        case "boolean":
            return False
        case "array":
            count = max(1, schema.get("minItems", 1))
            return _items(schema["items"], word, count)
        case _:
            return f"A few words: {word}."


def _items(schema: Mapping[str, Any], word: str, count: int) -> list[Any]:
    """A list of `count` items; if only some values may be in it, the first of them, each once."""
    values = schema.get("enum")
    return list(values[:count]) if values else [_of_schema(schema, word)] * count


def _of_field(field: Mapping[str, Any], word: str) -> Any:
    match field["kind"]:
        case "choice":
            return field["choices"][0]["value"]
        case "number":
            return field.get("minimum", 1)
        case "bool":
            return False
        case _:
            return word
