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
    if "JSON" in last and (answer := answer_as_asked(last)) is not None:
        return answer
    return text_for(messages, words=words)


def text_for(messages: Iterable[tuple[str, str]], *, words: int = DEFAULT_WORDS) -> str:
    """That many words, which depend on the messages and on nothing else."""
    digest = hashlib.blake2b()
    for role, content in messages:
        digest.update(f"{role}\0{content}\0".encode("utf-8", "surrogatepass"))
    drawn = b""
    while len(drawn) < words:
        digest.update(b"more")
        drawn += digest.digest()
    return " ".join(_WORDS[byte % len(_WORDS)] for byte in drawn[:words])


_DESCRIBED = re.compile(r'^- "(\w+)": (.+)$', re.MULTILINE)


def answer_as_asked(text: str) -> str | None:
    """An object with the fields that `text` lists, or like its first object; else None."""
    fields = {name: _meant(name, about, text) for name, about in _DESCRIBED.findall(text)}
    if fields:
        return json.dumps(fields)
    found = next((value for value, _, _ in _objects(text)), None)
    return None if found is None else json.dumps(_in_own_words(found))


_LETTER = re.compile(r"^\[(?:Proposal|Answer) ([A-Z])\]: ", re.MULTILINE)
_CHOOSE = re.compile(r"^Answer the question by choosing one of these:\n- (.+)$", re.MULTILINE)


def _meant(name: str, about: str, text: str) -> Any:  # noqa: PLR0911  one for each kind of field
    """A value for the field `name`, which is described by `about`, in a prompt with that `text`."""
    if number := re.match(r"a number from (\d+) to (\d+)", about):
        return min(max(_LIKELY_SCORE, int(number[1])), int(number[2]))
    if choice := re.match(r'"(\w+)" (?:for|or) ', about):
        return choice[1]
    if "bare number" in about:
        return _LIKELY_SCORE
    if "word for word" in about and (chosen := _CHOOSE.search(text)):
        return chosen[1]
    if about.startswith("a list"):
        letters = list(dict.fromkeys(_LETTER.findall(text))) or ["A", "B"]
        return letters if "letter" in about else [] if "objects" in about else [OWN_WORDS]
    if about.startswith("true if"):
        return False
    return "A" if "letter" in about else f"{name.title()}: {OWN_WORDS}"


def _in_own_words(value: Any) -> Any:
    """The same value, with other words wherever it has a sentence."""
    match value:
        case dict():
            return {name: _in_own_words(one) for name, one in value.items()}
        case list():
            return [_in_own_words(one) for one in value]
        case str():
            return OWN_WORDS if " " in value.strip() or value == "..." else value
        case _:
            return value


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
