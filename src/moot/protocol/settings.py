"""The settings every format has. Formats add their own by inheriting from `Settings`.

Bounds stand beside the fields, at both ends of every number, so that the JSON schema shown to
users, the form on the page and the check of what they send come from one place.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from types import MappingProxyType
from typing import Annotated, Any, ClassVar, Literal, TypeVar

import msgspec
from msgspec import Meta, inspect

from moot.errors import InvalidInput, joined
from moot.protocol.values import Sampling, SamplingSeed, Temperature, TopP
from moot.protocol.words import Effort, Role
from moot.structs import ready

SAMPLING: Mapping[str, str] = {
    "reasoning_effort": "reasoning_effort",
    "temperature": "temperature",
    "top_p": "top_p",
    "sampling_seed": "seed",
}
"""The wishes for sampling by the names people write, and the fields of `Sampling` they become.

The seed has a longer name in settings and files, where `seed` is that of the debate's own draws.
"""
OR_NOTHING = ", or left out"
"""Says in words that a value may be null: files, forms and JSON all have a way to say nothing."""
OF_JUDGES = "_judge"
"""The ending of the names of settings for judges and moderators only."""


class Limits(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Settings that every format has. None means that there is no limit of that kind."""

    max_runtime_seconds: Annotated[
        Annotated[int, Meta(ge=1, le=2_592_000)] | None,
        Meta(description="Stop after this many seconds of running time; pauses do not count."),
    ] = None
    max_total_output_tokens: Annotated[
        Annotated[int, Meta(ge=1, le=100_000_000)] | None,
        Meta(description="Stop after this many tokens of answers; thinking is not counted."),
    ] = None
    max_cost_usd: Annotated[
        Annotated[float, Meta(ge=0, le=100_000)] | None,
        Meta(description="Stop when this much is spent, in US dollars, if prices are known."),
    ] = None


class Settings(Limits, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What any debate can be told at its creation."""

    BEFORE: ClassVar[Mapping[str, Any]] = MappingProxyType({})
    """The values of settings in logs older than the setting, if not the default of today."""
    SPELT: ClassVar[frozenset[str]] = frozenset()
    """Text settings that may hold digits, which YAML and people write without quotation marks."""

    strict_budget: Annotated[
        bool,
        Meta(description="Refuse to start if a price is unknown, so max_cost_usd cannot be kept."),
    ] = False
    model_debater: Annotated[
        str, Meta(max_length=200, description="Model for debaters and members without their own.")
    ] = ""
    model_judge: Annotated[
        str, Meta(max_length=200, description="Model for judges and moderators without their own.")
    ] = ""
    reasoning_effort: Annotated[
        Effort | None,
        Meta(description="How much models think before they answer; by default they decide."),
    ] = None
    reasoning_effort_judge: Annotated[
        Effort | None, Meta(description="The same for judges and moderators.")
    ] = None
    temperature: Annotated[
        Temperature | None,
        Meta(description="How freely models choose their words; by default judges use 0."),
    ] = None
    temperature_judge: Annotated[
        Temperature | None, Meta(description="The same for judges and moderators.")
    ] = None
    top_p: Annotated[
        TopP | None,
        Meta(description="What share of the likeliest words models choose from."),
    ] = None
    top_p_judge: Annotated[TopP | None, Meta(description="The same for judges and moderators.")] = (
        None
    )
    sampling_seed: Annotated[
        SamplingSeed | None,
        Meta(description="Asks models to give the same answer each time, as far as they can."),
    ] = None
    sampling_seed_judge: Annotated[
        SamplingSeed | None, Meta(description="The same for judges and moderators.")
    ] = None
    max_tokens: Annotated[int, Meta(ge=16, le=100_000, description="Longest reply, in tokens.")] = (
        1000
    )
    call_timeout_seconds: Annotated[
        int, Meta(ge=1, le=3600, description="The longest one call to a model may take.")
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
        Meta(description="How long people have to answer a question; after that they pass."),
    ] = None

    def sampling(self, role: Role) -> Sampling:
        """The wishes for participants of a role: what is set for the role, else for the debate."""
        found = {
            field: self._wish(name, is_judging=role.is_judging) for name, field in SAMPLING.items()
        }
        return Sampling(**found)

    def _wish(self, name: str, *, is_judging: bool) -> Any:
        of_judges = getattr(self, name + OF_JUDGES) if is_judging else None
        return getattr(self, name) if of_judges is None else of_judges

    @property
    def premise(self) -> str:
        """The claim that is debated, where a format has one."""
        return ""

    @property
    def statements(self) -> int | None:
        """How many statements there will be, where a format knows that from the beginning."""
        return None


ready(Settings)


class RoundSettings(Settings, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What else can be set for a debate that goes in rounds."""

    checkpoint: Annotated[
        Literal["none", "every_round"],
        Meta(description="Whether to wait between rounds for you to continue, guide or end it."),
    ] = "none"


NO_HEARING: Literal["none"] = "none"
ADAPTIVE = "adaptive"


class BenchSettings(RoundSettings, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What else can be set for a debate that may end with a hearing."""

    SPELT: ClassVar[frozenset[str]] = frozenset({"hearing"})

    bench: Annotated[
        tuple[Annotated[str, Meta(max_length=200)], ...],
        Meta(
            max_length=9,
            description="Judges who vote at the very end, each by itself: models as provider:name, "
            "human, or personas by name.",
        ),
    ] = ()
    hearing: Annotated[
        Literal["none", "adaptive", "1", "2", "3", "4", "5"],
        Meta(
            description="How often each judge of the bench votes in each order of the names. "
            "adaptive: once, and twice more if the bench is nearly but not quite of one mind."
        ),
    ] = NO_HEARING


class PacedSettings(Settings, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What else can be set for a conversation whose pace people set."""

    pacing: Annotated[
        Literal["auto", "manual"],
        Meta(description="auto: members take turns. manual: all answer at once, and you choose."),
    ] = "auto"


Words = Annotated[
    int,
    Meta(
        ge=0,
        le=5000,
        description="About how many words a statement should have, unless the persona sets a "
        "length; 0 sets no length.",
    ),
]

StepRetries = Annotated[
    int, Meta(ge=0, le=3, description="How often a failed step is tried again.")
]

MaxTokensJudge = Annotated[
    int, Meta(ge=16, le=100_000, description="Longest reply of the judge, in tokens.")
]

Think = Annotated[
    bool, Meta(description="Have each debater think in private before every statement.")
]

T = TypeVar("T", bound=Settings)


def read_settings(kind: type[T], given: Mapping[str, Any]) -> T:
    """The settings with defaults filled in. Raises InvalidInput naming every wrong field."""
    unknown = sorted(set(given) - set(kind.__struct_fields__), key=str)
    mistakes = [_unknown(kind, str(name)) for name in unknown]
    known = {
        name: str(value) if name in kind.SPELT and type(value) is int else value
        for name, value in given.items()
        if name in kind.__struct_fields__
    }
    try:
        made = msgspec.convert(known, kind)
    except msgspec.ValidationError as error:
        # msgspec tells of the first mistake only.
        found = [one for name, value in known.items() for one in _mistakes(kind, name, value)]
        # If each setting is right by itself, only several together are wrong.
        mistakes += found or [InvalidInput(str(error), field="settings")]
    if mistakes:
        raise joined(mistakes)
    return made


def _unknown(kind: type[Settings], name: str) -> InvalidInput:
    close = get_close_matches(name, kind.__struct_fields__, n=1)
    known = ", ".join(kind.__struct_fields__)
    hint = f"did you mean {close[0]}?" if close else f"known: {known}"
    message = f"is not a setting of this format; {hint}"
    return InvalidInput(message, field=f"settings.{name}")


def _mistakes(kind: type[Settings], name: str, value: Any) -> Iterator[InvalidInput]:
    """What is wrong with one setting. Each has a default, so it can be read alone."""
    try:
        msgspec.convert({name: value}, kind)
    except msgspec.ValidationError as error:
        path = str(error).partition(" - at `$")[2].rstrip("`")
        yield InvalidInput(_wanted(kind)[name], field="settings" + path)


def _wanted(kind: type[Settings]) -> dict[str, str]:
    """What each setting must be, in words for those who never heard of our types."""
    fields = msgspec.structs.fields(kind)
    return {field.name: "must be " + _in_words(inspect.type_info(field.type)) for field in fields}


def _in_words(wanted: inspect.Type) -> str:
    match wanted:
        case inspect.Metadata():
            words = _in_words(wanted.type)
        case inspect.UnionType():
            some = [one for one in wanted.types if not isinstance(one, inspect.NoneType)]
            left_out = "" if len(some) == len(wanted.types) else OR_NOTHING
            words = " or ".join(_in_words(one) for one in some) + left_out
        case inspect.IntType():
            words = f"a whole number {_span(wanted)}"
        case inspect.FloatType():
            words = f"a number {_span(wanted)}"
        case inspect.StrType():
            words = f"text with a length of at most {wanted.max_length} characters"
        case inspect.EnumType():
            words = " or ".join(one.value for one in wanted.cls)
        case inspect.LiteralType():
            words = " or ".join(str(value) for value in wanted.values)
        case inspect.BoolType():
            words = "true or false"
        case _:
            words = _listed_in_words(wanted)
    return words


def _listed_in_words(wanted: inspect.Type) -> str:
    if isinstance(wanted, inspect.VarTupleType):
        return f"a list of at most {wanted.max_length}, each {_in_words(wanted.item_type)}"
    return "of another type"


def _span(wanted: inspect.IntType | inspect.FloatType) -> str:
    if wanted.gt is not None:
        return f"above {wanted.gt} and up to {wanted.le}"
    return f"from {wanted.ge} to {wanted.le}"


def frozen(kind: type[T], recorded: Mapping[str, Any]) -> T:
    """The settings a log has recorded. A setting that a later version has added takes its default,
    or its value in `BEFORE`; one that it has given up is left out."""
    known, told = kind.__struct_fields__, {**kind.BEFORE, **recorded}
    return msgspec.convert({key: told[key] for key in told if key in known}, kind)


def changed(settings: T, changes: Mapping[str, Any]) -> T:
    """The settings with other values from here on, as an event has recorded them."""
    return frozen(type(settings), {**as_data(settings), **changes})


def narrowed(settings: Settings, kind: type[T]) -> T:
    """The settings, typed as the kind that a format has. Raises TypeError for any other kind."""
    if not isinstance(settings, kind):
        message = f"these are {type(settings).__name__}, not {kind.__name__}"
        raise TypeError(message)
    return settings


def as_data(settings: Settings) -> dict[str, Any]:
    """The settings as they are frozen into a log: all of them, defaults included."""
    found = {name: getattr(settings, name) for name in settings.__struct_fields__}
    # As in a log that was read again: JSON has lists only.
    return {name: list(one) if isinstance(one, tuple) else one for name, one in found.items()}
