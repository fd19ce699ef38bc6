"""The keys that debate and persona files may have, and the bounds of every value.

Strict: nothing is converted, unknown keys are refused. What one key means for another is in
`crosschecks`; how a refusal reads is in `explain`.
"""

from __future__ import annotations

import re
from typing import Annotated, Any, Literal, TypeVar

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StringConstraints

from moot.definitions.scalars import check_text
from moot.errors import InvalidInput
from moot.protocol.names import check_name
from moot.protocol.values import Persona

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
Title = Annotated[str, _trimmed(0, 120), AfterValidator(_title)]
Name = Annotated[str, AfterValidator(_name)]
Model = Annotated[str, _trimmed(0, 200), AfterValidator(check_text), AfterValidator(_model)]
Color = Annotated[str, AfterValidator(_color)]
FilePath = Annotated[str, _trimmed(1, 1000), AfterValidator(check_text)]
Slug = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_-]{0,39}$")]


Item = TypeVar("Item")
Pool = Annotated[list[Item], Field(min_length=1, max_length=POOL_MAX)]


class Strict(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)


class PersonaSpec(Strict):
    name: Name
    title: Title = ""
    personality: Text = ""
    position: Text = ""
    instructions: Text = ""
    judging_criteria: Text = ""
    model: Model = ""
    color: Color = ""

    def persona(self) -> Persona:
        return Persona(**self.model_dump(include=set(Persona.__struct_fields__)))


class DebaterSpec(PersonaSpec):
    stance: Literal["pro", "con"] | None = None


class ParticipantSpec(PersonaSpec):
    role: Literal["moderator", "debater", "judge", "member"]
    stance: Literal["pro", "con", "none"] = "none"
    muted: bool = False


class LibrarySpec(PersonaSpec):
    role: Literal["moderator", "debater", "judge", "member"] = "debater"


class PersonasFile(Strict):
    personas: Pool[LibrarySpec]


class TeamSpec(Strict):
    name: Slug
    about: Topic
    members: Annotated[list[Name], Field(min_length=2, max_length=12)]
    judge: Name = ""


class TeamsFile(Strict):
    teams: Pool[TeamSpec]


class DebateFile(Strict):
    topic: Topic
    premise: Topic | None = None
    turns: int | None = Field(default=None, ge=1, le=TURNS_MAX)
    format: Slug = "duel"
    settings: dict[str, Any] = Field(default_factory=dict, max_length=SETTINGS_MAX)
    debaters: list[DebaterSpec] | None = Field(default=None, min_length=2, max_length=2)
    judge: PersonaSpec | None = None
    pro: Pool[PersonaSpec] | None = Field(default=None, alias="for")
    con: Pool[PersonaSpec] | None = Field(default=None, alias="against")
    audience: Pool[PersonaSpec] | None = None
    participants: Pool[ParticipantSpec] | None = None
    attach: list[FilePath] = Field(default_factory=list, max_length=FILES_MAX)
    context_directory: FilePath = ""
