"""The keys that debate and persona files may have, the bounds of values, and how refusals read.

Strict: nothing is converted, unknown keys are refused. What one key means for another is in
`debate_file`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from difflib import get_close_matches
from typing import Annotated, Any, Literal, TypeVar, get_args

import msgspec
from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    StringConstraints,
    ValidationError,
    WithJsonSchema,
)
from pydantic_core import ErrorDetails

from moot.definitions.documents import Document, Loc, check_text, together
from moot.definitions.values import Seated
from moot.errors import InvalidInput
from moot.protocol.names import FORBIDDEN, NAME_MAX, check_name
from moot.protocol.registry import USUAL
from moot.protocol.settings import SAMPLING
from moot.protocol.values import SAMPLING_SEED_MAX, TEMPERATURE_MAX, Persona, Sampling
from moot.protocol.words import Effort

TOPIC_MAX = 2_000
TEXT_MAX = 20_000
POOL_MAX = 50
TURNS_MAX = 100
SETTINGS_MAX = 100
FILES_MAX = 200

# The sixteen of CSS 1 and the three other names that people try first.
COLORS = frozenset(
    {
        *("black", "silver", "gray", "white", "maroon", "red", "purple", "fuchsia", "green"),
        *("lime", "olive", "yellow", "navy", "blue", "teal", "aqua", "grey", "orange", "cyan"),
    }
)


def _name(text: str) -> str:
    try:
        return check_name(text)
    except InvalidInput as error:
        raise ValueError(error.message) from error


def _color(text: str) -> str:
    color = text.lower()
    if not color or color in COLORS or re.fullmatch(r"#[0-9a-f]{6}", color):
        return color
    raise ValueError('must be "#rrggbb", in quotes, or one of ' + ", ".join(sorted(COLORS)))


def _model(text: str) -> str:
    if re.search(r"\s", text):
        raise ValueError("must be provider:name without spaces, or human")
    return text


def _title(text: str) -> str:
    # Shown beside the name as `[Ada | Architect]`, so it must not be able to close that bracket.
    if re.search(r"[\n\t\[\]{}<>|@]", text):
        raise ValueError("must be one line without [ ] { } < > | @")
    return check_text(text)


def _trimmed(least: int, most: int) -> StringConstraints:
    return StringConstraints(strip_whitespace=True, min_length=least, max_length=most)


Topic = Annotated[str, _trimmed(1, TOPIC_MAX), AfterValidator(check_text)]
Text = Annotated[str, _trimmed(0, TEXT_MAX), AfterValidator(check_text)]
# What a JSON Schema can say of the checks in functions: editors show it while one writes.
_NO_NAME = "".join(f"\\{char}" for char in sorted(FORBIDDEN - {"<", ">", '"', "@", ":", "`"}))
_OF_NAME = {"minLength": 1, "maxLength": NAME_MAX, "pattern": f'^[^{_NO_NAME}<>"@:`]+$'}
_OF_TITLE = {"maxLength": 120, "pattern": r"^[^\n\t\[\]{}<>|@]*$"}
_OF_MODEL = {"maxLength": 200, "pattern": r"^\s*\S*\s*$"}
_NAMES = "|".join("".join(f"[{c}{c.upper()}]" for c in name) for name in sorted(COLORS))
_OF_COLOR = {"pattern": f"^(#[0-9a-fA-F]{{6}}|{_NAMES}|)$", "examples": ["#2f6f9f", "teal"]}

Name = Annotated[str, AfterValidator(_name), WithJsonSchema({"type": "string", **_OF_NAME})]
Title = Annotated[
    str,
    _trimmed(0, 120),
    AfterValidator(_title),
    WithJsonSchema({"type": "string", **_OF_TITLE}),
]
Model = Annotated[
    str,
    _trimmed(0, 200),
    AfterValidator(check_text),
    AfterValidator(_model),
    WithJsonSchema({"type": "string", **_OF_MODEL}),
]
Color = Annotated[str, AfterValidator(_color), WithJsonSchema({"type": "string", **_OF_COLOR})]
FilePath = Annotated[str, _trimmed(1, 1000), AfterValidator(check_text)]
SLUG = r"^[a-z][a-z0-9_-]{0,39}$"
OF_SLUG = "small letters, digits, hyphens and underscores, beginning with a letter"
Slug = Annotated[str, StringConstraints(pattern=SLUG)]


Item = TypeVar("Item")
Pool = Annotated[list[Item], Field(min_length=1, max_length=POOL_MAX)]


class Strict(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)


class PersonaSpec(Strict):
    name: Name = Field(description="What everybody calls them; no two may have the same name.")
    title: Title = Field(default="", description="Shown beside the name, such as Architect.")
    personality: Text = Field(default="", description="Who they are, written to them: You are ...")
    position: Text = Field(default="", description="What they argue for.")
    instructions: Text = Field(default="", description="How they should speak.")
    room_instructions: Text = Field(
        default="", description="How they should speak in a room; replaces instructions there."
    )
    judging_criteria: Text = Field(default="", description="What a judge looks for.")
    model: Model = Field(
        default="",
        description="Their own model, such as openai:gpt-6-luna or ollama:qwen3:8b, or human.",
    )
    color: Color = Field(default="", description='"#rrggbb" in quotes, or a name such as teal.')

    def persona(self) -> Persona:
        return Persona(**self.model_dump(include=set(Persona.__struct_fields__)))


class SeatSpec(PersonaSpec):
    """A persona in a debate, with wishes for its model. `Settings` has those for all models."""

    reasoning_effort: Annotated[Effort, Field(strict=False)] | None = Field(
        default=None, description="How much their model thinks before it answers."
    )
    temperature: Annotated[float, Field(ge=0, le=TEMPERATURE_MAX)] | None = Field(
        default=None, description="How freely their model chooses its words."
    )
    top_p: Annotated[float, Field(gt=0, le=1)] | None = Field(
        default=None, description="What share of the likeliest words their model chooses from."
    )
    sampling_seed: Annotated[int, Field(ge=0, le=SAMPLING_SEED_MAX)] | None = Field(
        default=None, description="Asks their model to give the same answer each time."
    )

    def seated(self) -> Seated:
        return Seated(**msgspec.structs.asdict(self.persona()), sampling=self.sampling)

    @property
    def sampling(self) -> Sampling:
        return Sampling(**{field: getattr(self, name) for name, field in SAMPLING.items()})


class DebaterSpec(SeatSpec):
    stance: Literal["pro", "con"] | None = Field(
        default=None, description="Their side; by default the first is pro and the second con."
    )


class ParticipantSpec(SeatSpec):
    role: Literal["moderator", "debater", "judge", "member"] = Field(
        description="What they do in the debate."
    )
    stance: Literal["pro", "con", "none"] = Field(default="none", description="Their side.")
    muted: bool = Field(default=False, description="In a room: they start out silent.")


class LibrarySpec(PersonaSpec):
    role: Literal["moderator", "debater", "judge", "member"] = Field(
        default="debater", description="The role they are made for."
    )


class PersonasFile(Strict):
    personas: Pool[LibrarySpec]


class TeamSpec(Strict):
    name: Slug
    about: Topic
    members: Annotated[list[Name], Field(min_length=2, max_length=12)]
    judge: Name = ""


class TeamsFile(Strict):
    teams: Pool[TeamSpec]


class SetUp(Strict):
    """What a debate file says besides its topic."""

    premise: Topic | None = Field(
        default=None, description="The claim that one side defends and the other attacks."
    )
    turns: int | None = Field(
        default=None, ge=1, le=TURNS_MAX, description="How many statements, both sides together."
    )
    format: Slug = Field(default=USUAL, description="The rules of the debate.")
    settings: dict[str, Any] = Field(
        default_factory=dict, max_length=SETTINGS_MAX, description="The settings of the format."
    )
    debaters: list[DebaterSpec] | None = Field(
        default=None, min_length=2, max_length=2, description="The two sides; the first opens."
    )
    judge: SeatSpec | None = Field(default=None, description="The judge of the two debaters.")
    pro: Pool[SeatSpec] | None = Field(
        default=None, alias="for", description="One of these is drawn to speak for the premise."
    )
    con: Pool[SeatSpec] | None = Field(
        default=None, alias="against", description="One of these is drawn to speak against it."
    )
    audience: Pool[SeatSpec] | None = Field(
        default=None, description="One of these is drawn to judge."
    )
    participants: Pool[ParticipantSpec] | None = Field(
        default=None, description="All participants with their roles; every format takes these."
    )
    attach: list[FilePath] = Field(
        default_factory=list, max_length=FILES_MAX, description="Text files for all to read."
    )
    context_directory: FilePath = Field(
        default="", description="A directory whose files models can list, search and read."
    )


class OnTopic(Strict):
    topic: Topic = Field(description="The question, or what the debate is about.")


class DebateFile(SetUp, OnTopic):
    """A debate file. The topic stands first: pydantic takes the fields of the last base first."""


# --- what is wrong, so that a stranger can put it right -------------------------------------------


Checked = TypeVar("Checked", bound=BaseModel)

_FREE = ("settings",)  # the one key whose content belongs to the format, not to us

PATTERNS: Mapping[str, str] = {SLUG: f"must be 1 to 40 {OF_SLUG}"}


# By pydantic's error type; what is missing here is said in pydantic's words.
def _number(limit: float) -> str:
    """The number as people write it: a whole one without a point, and never with an exponent."""
    return str(int(limit)) if float(limit).is_integer() else f"{limit:.15g}"


SENTENCES: Mapping[str, Callable[[Mapping[str, Any]], str]] = {
    "missing": lambda _: "is required",
    "string_type": lambda _: "must be text; put it in quotes if it looks like a number",
    "string_too_short": lambda limit: f"needs at least {limit['min_length']} character",
    "string_too_long": lambda limit: f"has more than {limit['max_length']} characters",
    "string_pattern_mismatch": lambda limit: PATTERNS.get(
        limit["pattern"], f"must match {limit['pattern']}"
    ),
    "int_type": lambda _: "must be a whole number",
    "float_type": lambda _: "must be a number",
    "bool_type": lambda _: "must be true or false",
    "greater_than": lambda limit: f"must be more than {_number(limit['gt'])}",
    "greater_than_equal": lambda limit: f"must be {_number(limit['ge'])} or more",
    "less_than_equal": lambda limit: f"must be {_number(limit['le'])} or less",
    "too_short": lambda limit: (
        f"has {limit['actual_length']}, needs at least {limit['min_length']}"
    ),
    "too_long": lambda limit: f"has more than {limit['max_length']} entries",
    "list_type": lambda _: "must be a list, one entry per line beginning with `- `",
    "dict_type": lambda _: "must have keys and values, such as `turns: 6`",
    "model_type": lambda _: "must have keys and values, such as `name: Ada`",
    "literal_error": lambda limit: f"must be {limit['expected']}",
    "enum": lambda limit: f"must be {limit['expected']}",
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
    reason = "is empty; give it a value, and put the value in quotes if it has a #"
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
    return sentence(detail)


def sentence(
    detail: Mapping[str, Any],
    sentences: Mapping[str, Callable[[Mapping[str, Any]], str]] = SENTENCES,
) -> str:
    """What pydantic found, in words for people."""
    told = sentences.get(detail["type"])
    return told(detail.get("ctx", {})) if told else str(detail["msg"])


def _unknown(key: str, known: list[str]) -> str:
    close = get_close_matches(key.lower(), known, n=1, cutoff=0.5)
    hint = f"did you mean `{close[0]}`?" if close else "known are " + ", ".join(known)
    return f"unknown key `{key}`; {hint}"


def _keys(model: type[BaseModel], loc: Loc) -> list[str]:
    """The keys that are known at `loc`, as they are written in the file."""
    for part in loc:
        if isinstance(part, str):
            model = next(models_in(fields_of(model)[part]))
    return list(fields_of(model))


def fields_of(model: type[BaseModel]) -> dict[str, object]:
    """The types of a model's fields, by the names that files and requests have for them."""
    fields = model.model_fields.items()
    return {field.alias or name: field.annotation for name, field in fields}


def models_in(annotation: object) -> Iterator[type[BaseModel]]:
    """The models inside a type such as `list[PersonaSpec] | None`."""
    # A bare `list[PersonaSpec]` is an instance of `type` for isinstance, but has arguments.
    if get_args(annotation):
        for argument in get_args(annotation):
            yield from models_in(argument)
    elif isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
