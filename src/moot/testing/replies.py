"""What scripted models and servers say by default: always the same to the same messages.

Sensible enough to carry a whole debate: JSON where JSON is asked for, with words of their own and
not those of the example, a name where a choice of names is asked for, and otherwise a paragraph of
words drawn from the hash of the messages.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

DEFAULT_WORDS = 40

_WORDS = re.findall(
    r"\w+",
    "argument because claim doubt evidence fair ground however if just know limits matters never"
    " often people question reason since therefore under value why yet although better common"
    " deeper every first grant history indeed judge kind law",
)
_CHOICE = re.compile(r"exactly one of these names[^']*'(.+?)' or '", re.DOTALL)
_LIKELY_SCORE = 7
OWN_WORDS = "Because the claim rests on evidence."


def reply_for(messages: Sequence[tuple[str, str]], *, words: int = DEFAULT_WORDS) -> str:
    """The reply to (role, content) pairs."""
    last = messages[-1][1] if messages else ""
    if choice := _CHOICE.search(last):
        return choice[1]
    if "JSON" in last and (answer := answer_like_example(last)) is not None:
        return answer
    return text_for(messages, words=words)


def text_for(messages: Iterable[tuple[str, str]], *, words: int = DEFAULT_WORDS) -> str:
    """So many words, a function of the messages and of nothing else."""
    digest = hashlib.blake2b()
    for role, content in messages:
        digest.update(f"{role}\0{content}\0".encode("utf-8", "surrogatepass"))
    drawn = b""
    while len(drawn) < words:
        digest.update(b"more")
        drawn += digest.digest()
    return " ".join(_WORDS[byte % len(_WORDS)] for byte in drawn[:words])


# A text with the colon behind it if it names a field, or what stands for a number or a truth.
_FIELD = re.compile(
    r'"(?P<text>[^"]*)"(?P<colon>\s*:)?|<(?P<low>\d+) to (?P<high>\d+)>|<true or (?P<truth>false)>'
)


def answer_like_example(text: str) -> str | None:
    """The first JSON object in `text`, with an answer wherever the example says what to put."""
    filled = "\n".join(
        _FIELD.sub(_filled, line) if line.startswith("{") else line for line in text.split("\n")
    )
    return next((filled[start:end] for _, start, end in _objects(filled)), None)


def _filled(field: re.Match[str]) -> str:
    if field["low"]:
        return str(min(max(_LIKELY_SCORE, int(field["low"])), int(field["high"])))
    if field["truth"] or field["colon"]:
        return field["truth"] or field[0]
    wanted = field["text"].strip("<>")
    if " " not in wanted and wanted != "...":
        return field[0]
    choices = re.split(r", | or ", wanted)
    if "letter" in wanted:
        return '"B"' if "next" in wanted else '"A"'
    is_choice = len(choices) > 1 and not any(" " in one for one in choices)
    return json.dumps(choices[0] if is_choice else OWN_WORDS)


def schema_in(text: str) -> Mapping[str, Any] | None:
    """The first JSON schema in `text`, for models that are told it in words."""
    return next((found for found, _, _ in _objects(text) if "properties" in found), None)


def _objects(text: str) -> Iterator[tuple[dict[str, Any], int, int]]:
    """Every JSON object in `text` that is not empty, where it begins and where it ends."""
    decoder = json.JSONDecoder()
    for brace in re.finditer(r"\{", text):
        try:
            found, end = decoder.raw_decode(text, brace.start())
        except ValueError:
            continue
        if found:
            yield found, brace.start(), end


def reply_for_schema(schema: Mapping[str, Any]) -> str:
    """A small JSON text that a JSON schema allows."""
    return json.dumps(instance_of(schema, schema), ensure_ascii=False)


def instance_of(  # noqa: PLR0911  one return for each kind of schema
    schema: Mapping[str, Any], root: Mapping[str, Any]
) -> Any:
    """A small value that `schema` allows; `root` is where its references lead."""
    match schema:
        case {"const": value} | {"enum": [value, *_]}:
            return value
        case {"$ref": str(reference)}:
            return instance_of(_referred(reference, root), root)
        case {"anyOf": [*options]} | {"oneOf": [*options]}:
            chosen = next((one for one in options if one.get("type") != "null"), options[0])
            return instance_of(chosen, root)
        case {"type": [first, *_]}:
            return instance_of({**schema, "type": first}, root)
        case {"properties": properties}:
            return {name: instance_of(part, root) for name, part in properties.items()}
        case {"type": "array", "items": {"enum": values}}:  # a ranking has each of them once
            return list(values[: schema.get("minItems", 1)])
        case {"type": "array"}:
            return [instance_of(schema.get("items", {}), root)] * schema.get("minItems", 1)
        case _:
            return _simple(str(schema.get("type", "")), schema)


def _referred(reference: str, root: Mapping[str, Any]) -> Mapping[str, Any]:
    found: Any = root
    for name in reference.removeprefix("#/").split("/"):
        found = found[name]
    return dict(found)


def _number(schema: Mapping[str, Any]) -> float:
    low = schema.get("minimum", schema.get("exclusiveMinimum", -1) + 1)
    high = schema.get("maximum", schema.get("exclusiveMaximum", low + _LIKELY_SCORE + 1) - 1)
    number = min(max(_LIKELY_SCORE, low), high)
    # JSON shows a whole number without its `.0`, so that it passes for an integer.
    return int(number) if number == int(number) else number


def _text(schema: Mapping[str, Any]) -> str:
    return "text".ljust(schema.get("minLength", 0), ".")[: schema.get("maxLength", 10_000)]


def _simple(kind: str, schema: Mapping[str, Any]) -> Any:
    match kind:
        case "integer" | "number":
            return _number(schema)
        case "boolean" | "null" | "object":
            return {"boolean": True, "null": None, "object": {}}[kind]
        case _:
            return _text(schema)
