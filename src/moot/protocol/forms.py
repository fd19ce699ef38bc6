"""Forms: what a person fills in where a model would have to write a record.

A form is plain data, as pages and terminals want it. `filled_in` checks what comes back, so that a
mistake is reported with the name of its field.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from moot.protocol.answers import Unreadable

Field = dict[str, Any]
Form = dict[str, Any]

_TRUTHS = {"true": True, "yes": True, "y": True, "false": False, "no": False, "n": False}


def form(*fields: Field) -> Form:
    return {"fields": list(fields)}


def text(name: str, label: str, *, required: bool = True, is_long: bool = True) -> Field:
    kind = "long_text" if is_long else "text"
    return {"name": name, "label": label, "kind": kind, "required": required}


def number(
    name: str, label: str, *, minimum: float, maximum: float, is_whole: bool = False
) -> Field:
    bounds = {"minimum": minimum, "maximum": maximum, **({"is_whole": True} if is_whole else {})}
    return {"name": name, "label": label, "kind": "number", "required": True, **bounds}


def choice(
    name: str, label: str, choices: Iterable[tuple[str, str]], *, required: bool = True
) -> Field:
    """`choices` are values, and what people read for them. If it is not required, leaving it empty
    means the first."""
    options = [{"value": value, "label": words} for value, words in choices]
    field = {"name": name, "label": label, "kind": "choice", "required": required}
    return {**field, "choices": options}


def truth(name: str, label: str) -> Field:
    """A field for yes or no; left empty, it means no."""
    return {"name": name, "label": label, "kind": "bool", "required": False}


def aside(field: Field) -> Field:
    """The field, offered but not asked for: nobody has to look at it to answer."""
    return {**field, "required": False, "aside": True}


def only_if(field: Field, other: str, *values: str) -> Field:
    """The field, of use only if another field, earlier in the form, has one of these values."""
    return {**field, "when": {other: list(values)}}


def is_asked(field: Field, given: Mapping[str, Any]) -> bool:
    """Whether the field is of use, by what was filled in before it."""
    return all(given.get(other) in values for other, values in field.get("when", {}).items())


def filled_in(form: Form, given: Mapping[str, Any]) -> dict[str, Any] | Unreadable:
    """What was given for each field, numbers and truths read from text too; or what is wrong."""
    fields = {field["name"]: field for field in form["fields"]}
    unknown = next((name for name in given if name not in fields), None)
    if unknown is not None:
        return Unreadable(f"{unknown} is no field of this form; it has {', '.join(fields)}")
    values: dict[str, Any] = {}
    for name, field in fields.items():
        value = given.get(name)
        if value is None or (isinstance(value, str) and not value.strip()):
            if field["required"]:
                return Unreadable(f"{name} is missing")
            continue
        read = _VALUES[field["kind"]](field, value)
        if isinstance(read, Unreadable):
            return read
        values[name] = read
    return values


def _text(field: Field, value: object) -> str | Unreadable:
    return value if isinstance(value, str) else Unreadable(f"{field['name']} must be a text")


def _number(field: Field, value: object) -> float | Unreadable:
    least, most = field.get("minimum"), field.get("maximum")
    kind = "whole number" if field.get("is_whole") else "number"
    wanted = f"{field['name']} must be a {kind}" + (
        f" from {least} to {most}" if least is not None and most is not None else ""
    )
    if isinstance(value, str):
        try:
            value = float(value)
        except ValueError:
            return Unreadable(wanted)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return Unreadable(wanted)
    if not (least is None or value >= least) or not (most is None or value <= most):
        return Unreadable(wanted)
    if value == value // 1:
        return int(value)
    return Unreadable(wanted) if field.get("is_whole") else value


def _choice(field: Field, value: object) -> str | Unreadable:
    """The value, or the label: both name the same thing."""
    options = field["choices"]
    if isinstance(value, str):
        sought = value.strip().casefold()
        for key in ("value", "label"):
            found = [one["value"] for one in options if one[key].casefold() == sought]
            if len(found) == 1:
                return str(found[0])
    values = ", ".join(one["value"] for one in options)
    return Unreadable(f"{field['name']} must be one of {values}")


def _truth(field: Field, value: object) -> bool | Unreadable:
    if isinstance(value, bool):
        return value
    if isinstance(value, str) and value.strip().casefold() in _TRUTHS:
        return _TRUTHS[value.strip().casefold()]
    return Unreadable(f"{field['name']} must be true or false")


def _list(field: Field, value: object) -> list[str] | Unreadable:
    lines = value.splitlines() if isinstance(value, str) else value
    if not isinstance(lines, list) or not all(isinstance(one, str) for one in lines):
        return Unreadable(f"{field['name']} must be a list of texts")
    return [line.strip() for line in lines if line.strip()]


_VALUES = {
    "text": _text,
    "long_text": _text,
    "number": _number,
    "choice": _choice,
    "bool": _truth,
    "list": _list,
}
