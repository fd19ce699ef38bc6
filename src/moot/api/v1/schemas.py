"""Whether JSON is what a schema asks for: the part of JSON Schema that clients use for answers.

Keywords of a schema that are not named here are not checked. Nothing is fetched: a reference leads
into the schema itself or nowhere.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

DEEPEST = 50
"""Levels that are looked at: a schema may refer to itself."""


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


KINDS: Mapping[str, Callable[[Any], bool]] = {
    "object": lambda value: isinstance(value, dict),
    "array": lambda value: isinstance(value, list),
    "string": lambda value: isinstance(value, str),
    "boolean": lambda value: isinstance(value, bool),
    "null": lambda value: value is None,
    "integer": lambda value: _is_number(value) and float(value).is_integer(),
    "number": _is_number,
}
BOUNDS: Mapping[str, tuple[str, Callable[[Any, Any], bool]]] = {
    "minimum": ("number", lambda value, bound: value >= bound),
    "maximum": ("number", lambda value, bound: value <= bound),
    "exclusiveMinimum": ("number", lambda value, bound: value > bound),
    "exclusiveMaximum": ("number", lambda value, bound: value < bound),
    "minLength": ("string", lambda value, bound: len(value) >= bound),
    "maxLength": ("string", lambda value, bound: len(value) <= bound),
    "minItems": ("array", lambda value, bound: len(value) >= bound),
    "maxItems": ("array", lambda value, bound: len(value) <= bound),
}
"""By keyword: the kind of values it is about, and whether a value keeps to it."""
SINGLE = ("items", "additionalProperties")
LISTED = ("allOf", "anyOf", "oneOf")
NAMED = ("properties", "$defs", "definitions")
"""The keywords under which a schema has others in it: one, a list of them, or some by name."""


def _is_kind(value: Any) -> bool:
    named = [value] if isinstance(value, str) else value
    is_list = isinstance(named, list) and bool(named)
    return is_list and all(isinstance(one, str) and one in KINDS for one in named)


def _are_names(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(one, str) for one in value)


def _is_choice(value: Any) -> bool:
    return isinstance(value, list) and bool(value)


def _is_table(value: Any) -> bool:
    return isinstance(value, Mapping)


WORDS: Mapping[str, tuple[Callable[[Any], bool], str]] = {
    "type": (_is_kind, f"must be one of {', '.join(KINDS)}, or a list of them"),
    "required": (_are_names, "must be a list of names"),
    "enum": (_is_choice, "must be a list of what is allowed"),
    "$ref": (lambda value: isinstance(value, str), "must be a text"),
    **dict.fromkeys(LISTED, (_is_choice, "must be a list of schemas")),
    **dict.fromkeys(NAMED, (_is_table, "must be an object of schemas")),
    **dict.fromkeys(BOUNDS, (_is_number, "must be a number")),
}
"""By keyword: whether its value can be used, and what it must be."""


def flaws(schema: Mapping[str, Any]) -> str:
    """What keeps answers from being checked against the schema; "" if nothing does.

    An answer is always an object, so its schema must let it be one.
    """
    kinds = schema.get("type", "object")
    if kinds != "object" and not (isinstance(kinds, list) and "object" in kinds):
        return "$.type must be object"
    return next(_flawed(schema, "$", 0), "")


def _flawed(schema: Any, at: str, depth: int) -> Iterator[str]:
    if isinstance(schema, bool):
        return
    if not isinstance(schema, Mapping):
        yield f"{at} must be a schema"
        return
    if depth > DEEPEST:
        yield f"{at} is more than {DEEPEST} levels deep"
        return
    for word, (fits, told) in WORDS.items():
        if word in schema and not fits(schema[word]):
            yield f"{at}.{word} {told}"
            return
    for place, inner in _inner(schema):
        yield from _flawed(inner, f"{at}.{place}", depth + 1)


def _inner(schema: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """The schemas in a schema, with their places."""
    yield from ((word, schema[word]) for word in SINGLE if word in schema)
    for word in LISTED:
        yield from ((f"{word}[{n}]", one) for n, one in enumerate(schema.get(word, ())))
    for word in NAMED:
        yield from ((f"{word}.{name}", one) for name, one in schema.get(word, {}).items())


def mistakes(value: Any, schema: Mapping[str, Any]) -> list[str]:
    """Why the value is not what the schema asks for; empty if it is. Each begins with its place."""
    return [told for _, told in zip(range(10), _wrong(value, schema, schema, "$", 0), strict=False)]


def _wrong(value: Any, schema: Any, root: Mapping[str, Any], at: str, depth: int) -> Iterator[str]:
    if schema is False:
        yield f"{at} is not allowed"
    if not isinstance(schema, Mapping) or depth > DEEPEST:
        return
    if isinstance(reference := schema.get("$ref"), str):
        yield from _wrong(value, _referred(reference, root), root, at, depth + 1)
    yield from _wrong_kind(value, schema, at)
    yield from _wrong_bounds(value, schema, at)
    for one in schema.get("allOf", ()):
        yield from _wrong(value, one, root, at, depth + 1)
    for word in ("anyOf", "oneOf"):
        options = schema.get(word)
        if options and not any(not any(_wrong(value, one, root, at, depth + 1)) for one in options):
            yield f"{at} is none of what is allowed there"
    if isinstance(value, dict):
        yield from _wrong_object(value, schema, root, at, depth)
    if isinstance(value, list) and "items" in schema:
        for number, one in enumerate(value):
            yield from _wrong(one, schema["items"], root, f"{at}[{number}]", depth + 1)


def _wrong_kind(value: Any, schema: Mapping[str, Any], at: str) -> Iterator[str]:
    kinds = schema.get("type", [])
    named = [kinds] if isinstance(kinds, str) else list(kinds)
    known = [KINDS[one] for one in named if one in KINDS]
    if known and not any(fits(value) for fits in known):
        yield f"{at} must be {' or '.join(named)}"
    if "enum" in schema and value not in schema["enum"]:
        yield f"{at} must be one of {schema['enum']}"
    if "const" in schema and value != schema["const"]:
        yield f"{at} must be {schema['const']!r}"


def _wrong_bounds(value: Any, schema: Mapping[str, Any], at: str) -> Iterator[str]:
    for word, (kind, holds) in BOUNDS.items():
        bound = schema.get(word)
        if _is_number(bound) and KINDS[kind](value) and not holds(value, bound):
            yield f"{at} breaks {word} {bound}"


def _wrong_object(
    value: Mapping[str, Any],
    schema: Mapping[str, Any],
    root: Mapping[str, Any],
    at: str,
    depth: int,
) -> Iterator[str]:
    properties = schema.get("properties", {})
    yield from (f"{at} needs {name!r}" for name in schema.get("required", ()) if name not in value)
    for name, one in value.items():
        inside = properties.get(name, schema.get("additionalProperties", True))
        yield from _wrong(one, inside, root, f"{at}.{name}", depth + 1)


def _referred(reference: str, root: Mapping[str, Any]) -> Any:
    found: Any = root
    for name in filter(None, reference.removeprefix("#").split("/")):
        plain = re.sub(r"~1", "/", name).replace("~0", "~")
        found = found.get(plain, {}) if isinstance(found, Mapping) else {}
    return found
