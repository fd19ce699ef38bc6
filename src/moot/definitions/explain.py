"""Checks a document against a model, and says what is wrong so that a stranger can put it right."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from difflib import get_close_matches
from typing import Any, TypeVar, get_args

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from moot.definitions.document import Document, Loc, together
from moot.errors import InvalidInput

Checked = TypeVar("Checked", bound=BaseModel)

_FREE = ("settings",)  # the one key whose content belongs to the format, not to us

# By pydantic's error type; what is missing here is said in pydantic's words.
SENTENCES: Mapping[str, Callable[[Mapping[str, Any]], str]] = {
    "missing": lambda _: "is required",
    "string_type": lambda _: "must be text; put it in quotes if it looks like a number",
    "string_too_short": lambda limit: f"needs at least {limit['min_length']} character",
    "string_too_long": lambda limit: f"has more than {limit['max_length']} characters",
    "string_pattern_mismatch": lambda _: "must be one word of a-z, 0-9, - and _",
    "int_type": lambda _: "must be a whole number",
    "bool_type": lambda _: "must be true or false",
    "greater_than_equal": lambda limit: f"must be {limit['ge']} or more",
    "less_than_equal": lambda limit: f"must be {limit['le']} or less",
    "too_short": lambda limit: (
        f"has {limit['actual_length']}, needs at least {limit['min_length']}"
    ),
    "too_long": lambda limit: f"has more than {limit['max_length']} entries",
    "list_type": lambda _: "must be a list, one entry per line beginning with `- `",
    "dict_type": lambda _: "must have keys and values, such as `turns: 6`",
    "model_type": lambda _: "must have keys and values, such as `name: Ada`",
    "literal_error": lambda limit: f"must be {limit['expected']}",
    "value_error": lambda limit: str(limit["error"]),
}


def validate(document: Document, model: type[Checked]) -> Checked:
    """The document as `model`; raises InvalidInput with every mistake in the file."""
    checked, mistakes = check(document, model)
    if checked is None:
        raise together(mistakes)
    return checked


def check(document: Document, model: type[Checked]) -> tuple[Checked | None, list[InvalidInput]]:
    """The document as `model`, or None and what is wrong with it."""
    reason = "is empty; give it a value, in quotes if that has a #"
    mistakes = [document.error(loc, reason) for loc in _blanks(document.data, ())]
    try:
        checked = model.model_validate(document.data)
    except ValidationError as error:
        found = error.errors(include_url=False, include_input=False)
        mistakes += [document.error(one["loc"], _sentence(one, model)) for one in found]
        return None, mistakes
    return None if mistakes else checked, mistakes


def _blanks(data: object, loc: Loc) -> Iterator[Loc]:
    """Where the file has a key without a value: `color: #aa0000` is one, the rest is a comment."""
    match data:
        case None:
            yield loc
        case dict():
            for key, value in data.items():
                if (*loc, key) != _FREE:
                    yield from _blanks(value, (*loc, key))
        case list():
            for index, item in enumerate(data):
                yield from _blanks(item, (*loc, index))
        case _:
            pass


def _sentence(detail: ErrorDetails, model: type[BaseModel]) -> str:
    if detail["type"] == "extra_forbidden":
        return _unknown(str(detail["loc"][-1]), _keys(model, detail["loc"][:-1]))
    sentence = SENTENCES.get(detail["type"])
    return sentence(detail.get("ctx", {})) if sentence else detail["msg"]


def _unknown(key: str, known: list[str]) -> str:
    close = get_close_matches(key.lower(), known, n=1, cutoff=0.5)
    hint = f"did you mean `{close[0]}`?" if close else "known are " + ", ".join(known)
    return f"unknown key `{key}`; {hint}"


def _keys(model: type[BaseModel], loc: Loc) -> list[str]:
    """The keys that are known at `loc`, as they are written in the file."""
    for part in loc:
        if isinstance(part, str):
            model = next(_models(_fields(model)[part]))
    return list(_fields(model))


def _fields(model: type[BaseModel]) -> dict[str, object]:
    fields = model.model_fields.items()
    return {field.alias or name: field.annotation for name, field in fields}


def _models(annotation: object) -> Iterator[type[BaseModel]]:
    """The models inside a type such as `list[PersonaSpec] | None`."""
    # A bare `list[PersonaSpec]` is an instance of `type` for isinstance, but has arguments.
    if get_args(annotation):
        for argument in get_args(annotation):
            yield from _models(argument)
    elif isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
