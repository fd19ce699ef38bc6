"""The settings every format has. Formats add their own by inheriting from `Settings`.

Bounds stand beside the fields, at both ends of every number, so that the JSON schema shown to
users, the form on the page and the check of what they send come from one place.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal, TypeVar

import msgspec
from msgspec import Meta, inspect

from moot.errors import InvalidInput


class Limits(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Settings that every format has. None is no limit of that kind."""

    max_runtime_seconds: Annotated[
        Annotated[int, Meta(ge=1, le=2_592_000)] | None,
        Meta(description="Running time, pauses left out."),
    ] = None
    max_total_output_tokens: Annotated[
        Annotated[int, Meta(ge=1, le=100_000_000)] | None,
        Meta(description="Tokens of all answers; what models think first is not counted."),
    ] = None
    max_cost_usd: Annotated[
        Annotated[float, Meta(ge=0, le=100_000)] | None,
        Meta(description="Money, where the price is known."),
    ] = None


class Settings(Limits, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What any debate can be told at its creation."""

    strict_budget: Annotated[
        bool,
        Meta(description="Refuse to begin if max_cost_usd cannot be held: a price is not known."),
    ] = False
    model_debater: Annotated[
        str, Meta(max_length=200, description="Model of debaters and members that name none.")
    ] = ""
    model_judge: Annotated[
        str, Meta(max_length=200, description="Model of judges and moderators that name none.")
    ] = ""
    max_tokens: Annotated[
        int, Meta(ge=16, le=100_000, description="Length of one reply, in tokens.")
    ] = 1000
    call_timeout_seconds: Annotated[
        int, Meta(ge=1, le=3600, description="Wall-clock limit of one call to a model.")
    ] = 300
    provider_patience_seconds: Annotated[
        int,
        Meta(
            ge=0,
            le=86_400,
            description="How long to wait for a provider that does not answer or is too busy.",
        ),
    ] = 600
    human_timeout_seconds: Annotated[
        Annotated[int, Meta(ge=1, le=2_592_000)] | None,
        Meta(description="How long a question to a person stays open; then they have passed."),
    ] = None

    @property
    def premise(self) -> str:
        """The claim that is debated, where a format has one."""
        return ""

    @property
    def statements(self) -> int | None:
        """How many statements there will be, where a format knows that from the beginning."""
        return None


class RoundSettings(Settings, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a debate that goes in rounds can be told besides."""

    checkpoint: Annotated[
        Literal["none", "every_round"],
        Meta(description="Whether to wait between rounds for Continue, Guide or End."),
    ] = "none"


class PacedSettings(Settings, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a conversation whose pace people set can be told besides."""

    pacing: Annotated[
        Literal["auto", "manual"],
        Meta(description="Members take turns by themselves, or all answer and you choose."),
    ] = "auto"


T = TypeVar("T", bound=Settings)


def read_settings(kind: type[T], given: Mapping[str, Any]) -> T:
    """The settings with defaults filled in. Raises InvalidInput naming the field."""
    unknown = sorted(set(given) - set(kind.__struct_fields__), key=str)
    if unknown:
        known = ", ".join(kind.__struct_fields__)
        message = f"is no setting of this format; known: {known}"
        raise InvalidInput(message, field=f"settings.{unknown[0]}")
    try:
        return msgspec.convert(dict(given), kind)
    except msgspec.ValidationError as error:
        message, _, path = str(error).partition(" - at `$")
        path = path.rstrip("`")
        message = _wanted(kind).get(path.removeprefix("."), message)
        raise InvalidInput(message, field="settings" + path) from None


def _wanted(kind: type[Settings]) -> dict[str, str]:
    """What each setting must be, in words for those who never heard of our types."""
    fields = msgspec.structs.fields(kind)
    return {field.name: "must be " + _in_words(inspect.type_info(field.type)) for field in fields}


def _in_words(wanted: inspect.Type) -> str:
    match wanted:
        case inspect.Metadata():
            words = _in_words(wanted.type)
        case inspect.UnionType():
            words = " or ".join(_in_words(one) for one in wanted.types)
        case inspect.IntType():
            words = f"a whole number from {wanted.ge} to {wanted.le}"
        case inspect.FloatType():
            words = f"a number from {wanted.ge} to {wanted.le}"
        case inspect.StrType():
            words = f"text with a length of at most {wanted.max_length} characters"
        case inspect.LiteralType():
            words = " or ".join(str(value) for value in wanted.values)
        case inspect.BoolType():
            words = "true or false"
        case inspect.NoneType():
            words = "null"
        case _:
            words = "of another type"
    return words


def frozen(kind: type[T], recorded: Mapping[str, Any]) -> T:
    """The settings a log has recorded. What a later version has added takes its default, what it
    has given up is left out."""
    known = kind.__struct_fields__
    return msgspec.convert({key: recorded[key] for key in recorded if key in known}, kind)


def narrowed(settings: Settings, kind: type[T]) -> T:
    """The settings of a format that knows its own kind of them. Raises TypeError for others."""
    if not isinstance(settings, kind):
        message = f"these are {type(settings).__name__}, not {kind.__name__}"
        raise TypeError(message)
    return settings


def as_data(settings: Settings) -> dict[str, Any]:
    """The settings as they are frozen into a log: all of them, defaults included."""
    return {name: getattr(settings, name) for name in settings.__struct_fields__}
