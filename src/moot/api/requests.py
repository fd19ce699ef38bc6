"""What may be sent. Strict: nothing is converted, unknown fields are refused, all has bounds.

What a setting may be is for its format to say; see `GET /api/formats/{id}`.
"""

from __future__ import annotations

import json
import re
from typing import Annotated, Any, Literal

import msgspec
from fastapi import Depends, Header, Path, Query, Request
from fastapi.routing import APIRoute
from pydantic import (
    BaseModel,
    ConfigDict,
    Discriminator,
    Field,
    RootModel,
    StringConstraints,
    Tag,
    model_validator,
)

from moot.definitions.casting import SEED_MAX, Named
from moot.definitions.schema import SETTINGS_MAX, ParticipantSpec
from moot.engine.attaching import MAX_FILE_BYTES, MAX_FILES, MAX_NAME
from moot.engine.creation import MAX_PARTICIPANTS, MAX_TEXT, MAX_TITLE, MAX_TOPIC
from moot.errors import NotFound
from moot.protocol.names import RESERVED, slug
from moot.protocol.registry import USUAL
from moot.protocol.settings import SAMPLING
from moot.protocol.values import SAMPLING_SEED_MAX, TEMPERATURE_MAX, Participant, Sampling
from moot.protocol.words import USER, Effort, Role, Stance

MAX_PAGE = 200
MAX_TURNS = 1000
MAX_SEQ = 2**53 - 1
DEBATE_ID = re.compile(r"[0-9a-z]{1,64}")
_PARTICIPANT_ID = re.compile(r"[a-z0-9_]{1,60}")
_TURN_ID = re.compile(r"[0-9]{1,15}")


class Strict(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)


ParticipantKey = Annotated[str, StringConstraints(pattern=r"^[a-z0-9][a-z0-9_]{0,39}$")]


class NewParticipant(ParticipantSpec):
    """Anyone on the roster; `model: human` is a person. Without `id`, one is made of the name."""

    id: ParticipantKey | None = None


PersonText = Annotated[str, StringConstraints(max_length=MAX_TEXT)]
ModelName = Annotated[str, StringConstraints(min_length=1, max_length=200)]
PersonaName = Annotated[str, StringConstraints(min_length=1, max_length=200)]


class Overrides(Strict):
    """What replaces a persona's own values."""

    name: Annotated[str, StringConstraints(min_length=1, max_length=200)] | None = None
    title: PersonText | None = None
    model: ModelName | None = None
    personality: PersonText | None = None
    position: PersonText | None = None
    instructions: PersonText | None = None
    room_instructions: PersonText | None = None
    color: PersonText | None = None
    reasoning_effort: Annotated[Effort, Field(strict=False)] | None = None
    temperature: Annotated[float, Field(ge=0, le=TEMPERATURE_MAX)] | None = None
    top_p: Annotated[float, Field(gt=0, le=1)] | None = None
    sampling_seed: Annotated[int, Field(ge=0, le=SAMPLING_SEED_MAX)] | None = None

    @property
    def sampling(self) -> Sampling:
        """The wishes for the model."""
        return Sampling(**{field: getattr(self, name) for name, field in SAMPLING.items()})


class NamedParticipant(Overrides):
    """A persona by name, title or the beginning of either; whatever else is given replaces the
    persona's own. Without `role`, judges judge, moderators moderate, and everybody else debates, or
    is a member where the format has members."""

    persona: PersonaName
    id: ParticipantKey | None = None
    role: Literal["moderator", "debater", "judge", "member"] | None = None
    stance: Literal["pro", "con", "none"] = "none"
    judging_criteria: PersonText | None = None
    muted: bool = False

    def named(self) -> Named:
        fields = self.model_dump(exclude={"id", "role", "stance", *SAMPLING})
        role = Role(self.role) if self.role else None
        return Named(
            id=self.id or "",
            role=role,
            stance=Stance(self.stance),
            sampling=self.sampling,
            **fields,
        )


IN_FULL, BY_NAME = "{in full}", "{by name}"
"""How pydantic marks, in the place of a mistake, which of the two it took a participant to be."""


def _way(given: object) -> str:
    has_persona = isinstance(given, NamedParticipant) or (
        isinstance(given, dict) and "persona" in given
    )
    return BY_NAME if has_persona else IN_FULL


AnyParticipant = Annotated[
    Annotated[NewParticipant, Tag(IN_FULL)] | Annotated[NamedParticipant, Tag(BY_NAME)],
    Discriminator(_way),
]


class NewFile(Strict):
    """A text file for the debate. The parts of its name have `/` between them."""

    name: Annotated[str, StringConstraints(min_length=1, max_length=MAX_NAME)]
    content: Annotated[str, StringConstraints(max_length=MAX_FILE_BYTES)]


class MeBody(Strict):
    """The person who takes part, under their own name. `as` is where they sit: a role, `pro`,
    `con` or the name of a participant; by default a debater, in a council a member."""

    name: Annotated[str, StringConstraints(min_length=1, max_length=100)]
    seat: Annotated[str, StringConstraints(max_length=100)] = Field(default="", alias="as")


class NewDebateBody(Strict):
    """A debate to be created. Without participants or a team, the format's own take part, or some
    are drawn from the personas; the same `seed` draws the same ones. `file` is the name of a
    shipped debate, which says topic, format and participants. `model` is for every participant but
    people, `judge_model` for judges and moderators."""

    topic: Annotated[str, StringConstraints(max_length=MAX_TOPIC)] = ""
    file: Annotated[str, StringConstraints(max_length=100)] | None = None
    format: Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_-]{0,39}$")] = USUAL
    settings: Annotated[dict[str, Any], Field(max_length=SETTINGS_MAX)] = {}
    participants: Annotated[list[AnyParticipant], Field(max_length=MAX_PARTICIPANTS)] = []
    team: Annotated[str, StringConstraints(min_length=1, max_length=100)] | None = None
    model: ModelName | None = None
    judge_model: ModelName | None = None
    seed: Annotated[int, Field(ge=0, le=SEED_MAX)] | None = None
    me: MeBody | None = None
    attachments: Annotated[list[NewFile], Field(max_length=MAX_FILES)] = []
    context_directory: Annotated[str, StringConstraints(min_length=1, max_length=1000)] | None = (
        Field(
            default=None,
            description="Where to read files for the debate, below the server's MOOT_CONTEXT_ROOT.",
        )
    )
    start: bool = False


SentDebateId = Annotated[str, StringConstraints(pattern=rf"^{DEBATE_ID.pattern}$")]
MAX_QUESTION = 200_000


class QuestionBody(Strict):
    """A question for a panel. `settings` replace the panel's own, `model` is for everybody but
    people, `judge_model` for judges and moderators; `after` is an earlier debate, whose question
    and answer everybody may read."""

    question: Annotated[str, StringConstraints(min_length=1, max_length=MAX_QUESTION)]
    after: SentDebateId | None = None
    settings: Annotated[dict[str, Any], Field(max_length=SETTINGS_MAX)] = {}
    model: ModelName | None = None
    judge_model: ModelName | None = None
    attachments: Annotated[list[NewFile], Field(max_length=MAX_FILES)] = []
    seed: Annotated[int, Field(ge=0, le=SEED_MAX)] | None = None
    start: bool = False


AnswerText = Annotated[str, StringConstraints(max_length=MAX_TEXT)]
FormFields = Annotated[dict[str, Any], Field(max_length=100)]
QuestionId = Annotated[str, StringConstraints(min_length=1, max_length=400)]


class AnswersBody(Strict):
    """Answers to some or all of the open questions, by question id: a text, the fields of the
    question's form, or an empty text to pass."""

    answers: Annotated[
        dict[QuestionId, AnswerText | FormFields], Field(min_length=1, max_length=100)
    ]


ParticipantId = Annotated[str, StringConstraints(min_length=1, max_length=40)]


class ModelBody(Strict):
    """A model by name, as `provider:name`."""

    model: ModelName


class ForkChanges(Strict):
    """What is to be different in a fork: settings, and models by participant. A participant is
    named by id, name or role; a role means the first who has it."""

    settings: Annotated[dict[str, Any], Field(max_length=SETTINGS_MAX)] = {}
    models: Annotated[dict[ParticipantId, ModelName], Field(max_length=MAX_PARTICIPANTS)] = {}

    @model_validator(mode="before")
    @classmethod
    def _knows_what_cannot_change(cls, given: object) -> object:
        if isinstance(given, dict) and not given.keys() <= cls.model_fields.keys():
            message = (
                "a fork can change only settings and models; "
                "it has the format, the topic and the participants of its source"
            )
            raise ValueError(message)
        return given


class ForkBody(Strict):
    """A fork of a debate after event `at`, by default after its last event."""

    at: Annotated[int, Field(ge=1, le=MAX_SEQ)] | None = None
    changes: ForkChanges = ForkChanges()


class RematchBody(Strict):
    """What is to be different in a rematch of a debate. `model` is for everybody but people,
    `judge_model` for judges and moderators, `models` by participant as in a fork. `seed` draws the
    order of speakers, the same one as in a debate with that seed."""

    swap: bool = False
    model: ModelName | None = None
    judge_model: ModelName | None = None
    models: Annotated[dict[ParticipantId, ModelName], Field(max_length=MAX_PARTICIPANTS)] = {}
    seed: Annotated[int, Field(ge=0, le=SEED_MAX)] | None = None
    start: bool = False


class HearingBody(Strict):
    """A bench to be asked about a finished debate. `bench` are the judges: models, personas,
    `human`, or one team; if it is left out, models that are ready here and took no part. `repeats`
    0 asks each judge once in each order, and twice more if the bench is nearly of one mind."""

    bench: Annotated[list[ModelName], Field(max_length=9)] = []
    orders: Literal["both", "one"] = "both"
    repeats: Annotated[int, Field(ge=0, le=5)] = 0
    allow_own: bool = False
    max_cost_usd: Annotated[float, Field(ge=0)] | None = None
    settings: dict[str, Any] = {}
    start: bool = True


class LinkBody(Strict):
    """A read-only link; with `private`, it shows what was planned, thought and judged in private,
    too."""

    private: bool = False


class DebateBody(Strict):
    """The title that is shown instead of a debate's topic; blank for none."""

    title: Annotated[str, StringConstraints(max_length=MAX_TITLE)]


class TurnBody(Strict):
    """Whether a turn goes into later prompts."""

    included: bool


class MessageBody(Strict):
    """What a person says; an empty text lets the members of a room go on."""

    content: Annotated[str, StringConstraints(max_length=MAX_TEXT)]
    participant: ParticipantId = USER


class PacingBody(Strict):
    pacing: Literal["auto", "manual"]


class SettingsBody(RootModel[Annotated[dict[str, Any], Field(max_length=SETTINGS_MAX)]]):
    """Settings of the format, and their values from now on."""


class PendingBody(Strict):
    """Which of the pending turns are included; all others are kept and excluded."""

    include: Annotated[
        list[Annotated[int, Field(ge=1, le=MAX_SEQ)]], Field(max_length=MAX_PARTICIPANTS * 2)
    ]


class JoinBody(Overrides):
    """Somebody who joins: a persona of the library by its name, or a name and what goes with it.

    Whatever is given besides `persona` replaces what the persona has.
    """

    persona: PersonaName | None = None


class ParticipantBody(Strict):
    """Whether a participant is passed over."""

    muted: bool


def roster(specs: list[AnyParticipant]) -> tuple[Participant | Named, ...]:
    """The participants; each of those given in full has an id of its own."""
    taken = {spec.id for spec in specs if spec.id} | RESERVED
    made: list[Participant | Named] = []
    for spec in specs:
        if isinstance(spec, NamedParticipant):
            made.append(spec.named())
            continue
        one = spec.id or slug(spec.name, taken)
        taken.add(one)
        fields = spec.model_dump(exclude={"id", "role", "stance", *SAMPLING})
        role, stance = Role(spec.role), Stance(spec.stance)
        made.append(Participant(id=one, role=role, stance=stance, sampling=spec.sampling, **fields))
    return tuple(made)


def _debate_id(debate_id: Annotated[str, Path(description="The id of a debate.")]) -> str:
    if not DEBATE_ID.fullmatch(debate_id):
        raise NotFound("there is no such debate")
    return debate_id


def _turn_id(turn: Annotated[str, Path(description="The id of a turn.")]) -> int:
    if not _TURN_ID.fullmatch(turn):
        raise NotFound("there is no such turn")
    return int(turn)


def _participant_id(
    participant: Annotated[str, Path(description="The id of a participant.")],
) -> str:
    if not _PARTICIPANT_ID.fullmatch(participant):
        raise NotFound("there is no such participant")
    return participant


ParticipantPath = Annotated[str, Depends(_participant_id)]
DebateId = Annotated[str, Depends(_debate_id)]
TurnId = Annotated[int, Depends(_turn_id)]
Flag = Literal["0", "1"]
Limit = Annotated[int, Query(ge=1, le=MAX_PAGE)]
TurnLimit = Annotated[int, Query(ge=1, le=MAX_TURNS)]
Seq = Annotated[int, Query(ge=0, le=MAX_SEQ, description="The last event that was read.")]
Offset = Annotated[int, Query(ge=0, le=MAX_SEQ, description="The `next` of an earlier page.")]
PageCursor = Annotated[str | None, Query(max_length=400, description="An earlier page's `next`.")]
Search = Annotated[
    str, Query(max_length=200, description="Looked for in titles and topics, ignoring case.")
]
Words = Annotated[
    str,
    Query(
        max_length=16_000,
        description="Words to look for, all of which must occur; in double quotes, a phrase.",
    ),
]
FormatName = Annotated[str | None, Query(max_length=40)]
Door = Annotated[
    str | None,
    Query(
        max_length=40,
        description="By which door they came: `v1`, `mcp` or `import`; blank is an ordinary one.",
    ),
]
IdempotencyKey = Annotated[
    str | None,
    Header(
        alias="Idempotency-Key",
        pattern=r"^[\x21-\x7e]{1,255}$",
        description="The same key and body create one debate, however often they are sent.",
    ),
]


class JsonRequest(Request):
    """Reads JSON as the standard says: UTF-8, no NaN, no lone surrogates."""

    async def json(self) -> Any:
        body = await self.body()
        try:
            return msgspec.json.decode(body)
        except (msgspec.MsgspecError, UnicodeDecodeError) as error:
            raise json.JSONDecodeError(str(error), "", 0) from None


class JsonRoute(APIRoute):
    """A route whose handler is given a `JsonRequest`."""

    def get_route_handler(self) -> Any:
        handle = super().get_route_handler()

        async def handler(request: Request) -> Any:
            return await handle(JsonRequest(request.scope, request.receive))

        return handler
