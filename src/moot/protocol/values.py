"""The value objects a debate is made of: participants, its frozen configuration, usage.

All are immutable. What is written here is written into logs for ever: fields may be added with a
default, never renamed, never given another meaning.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from moot.protocol.hearing.case import Hears
from moot.protocol.hearing.exam import Examination
from moot.protocol.words import HUMAN, Effort, Role, Stance

Place = tuple[int, ...]
"""Where a turn stands in the transcript, whenever it arrived: compared element by element."""


class Value(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The base of everything that is recorded. Defaults are left out of the encoding."""


class Persona(Value, frozen=True, kw_only=True):
    """The reusable description a participant is made from."""

    name: str
    title: str = ""
    personality: str = ""
    position: str = ""
    instructions: str = ""
    room_instructions: str = ""
    """How to speak in a room, in place of `instructions`, which are for whole speeches."""
    judging_criteria: str = ""
    model: str = ""
    color: str = ""


TEMPERATURE_MAX = 2
SAMPLING_SEED_MAX = 2**31 - 1
"""The largest that every provider takes."""
Temperature = Annotated[float, Meta(ge=0, le=TEMPERATURE_MAX)]
TopP = Annotated[float, Meta(gt=0, le=1)]
SamplingSeed = Annotated[int, Meta(ge=0, le=SAMPLING_SEED_MAX)]


class Sampling(Value, frozen=True, kw_only=True):
    """How a model is to choose its words. None is not sent: the provider's own default applies."""

    temperature: float | None = None
    top_p: float | None = None
    seed: int | None = None
    reasoning_effort: Effort | None = None

    def over(self, other: Sampling) -> Sampling:
        """These wishes, and those of `other` where there is none here."""
        if self == NO_WISHES:
            return other
        mine = dict(self.given)
        return msgspec.structs.replace(other, **mine) if mine else other

    def without(self, names: Collection[str]) -> Sampling:
        """These wishes without the ones named."""
        if not names:
            return self
        return Sampling(**{name: value for name, value in self.given if name not in names})

    @property
    def given(self) -> tuple[tuple[str, Any], ...]:
        """What is wished, by the name of the parameter."""
        found = [(name, getattr(self, name)) for name in self.__struct_fields__]
        return tuple([each for each in found if each[1] is not None])


NO_WISHES = Sampling()


class Participant(Value, frozen=True, kw_only=True):
    """Anyone on the roster. `model` is `provider:name`, or `human` for a person."""

    id: str = ""
    """Stable in its debate; made from the name where none is given."""
    name: str
    role: Role
    stance: Stance = Stance.NONE
    title: str = ""
    model: str = ""
    personality: str = ""
    position: str = ""
    instructions: str = ""
    room_instructions: str = ""
    judging_criteria: str = ""
    color: str = ""
    muted: bool = False
    window: int | None = None
    """Tokens its model can read at once, frozen where the format has to know; None if unknown."""
    is_window_assumed: bool = False
    """Whether the window is not known, and Moot has assumed one."""
    sampling: Sampling = Sampling()
    """What was wished for this participant, or else for the role, or else for the debate."""
    argues: str = ""
    """What they argue, as it follows that word: `for "tabs"`. Frozen at creation; see `roster`."""

    @property
    def is_human(self) -> bool:
        return self.model == HUMAN

    @property
    def label(self) -> str:
        """How people see the name: `Ada | Architect`."""
        return f"{self.name} | {self.title}" if self.title else self.name


class Draw(Value, frozen=True, kw_only=True):
    """A choice made by chance, once, at creation: what was drawn, from what, and the result."""

    name: str
    options: tuple[str, ...]
    chosen: tuple[str, ...]


class Attachment(Value, frozen=True, kw_only=True):
    """A file the debate was given; the log keeps its name and hash."""

    name: str
    sha256: str
    size_bytes: int


class ForkPoint(Value, frozen=True, kw_only=True):
    """Where a fork left its source: the debate, and the last event that they share."""

    debate: str
    at: int
    earlier: tuple[str, ...] = ()
    """The debates that the source was forked from itself, the nearest first."""


IMPORT = "import"
"""The door by which a log that was made elsewhere comes in."""


class Origin(Value, frozen=True, kw_only=True):
    """By which door a debate came, where that was not an ordinary one, and which panel was asked.

    `door` is blank if a panel was asked by an ordinary one, such as the page: only `panel` is said.

    `import`: it was held elsewhere, and its log was brought here whole. `kind` is then `sample` if
    it is one of those that come with Moot, and `file` for any other; `sha256` is the hash of what
    was imported (see `engine.importing`), and `debate` the id that it had there.

    `v1` and `mcp`: a panel was asked, by a client that calls itself `client`, in a `conversation`
    of that client's. `fingerprint` is the same when the same question is asked again.
    """

    door: str
    kind: str = ""
    sha256: str = ""
    debate: str = ""
    panel: str = ""
    fingerprint: str = ""
    client: str = ""
    conversation: str = ""

    @property
    def is_import(self) -> bool:
        """Whether it was held elsewhere."""
        return self.door == IMPORT

    @property
    def label(self) -> str:
        """`import/sample`, as rows of the list have it."""
        return f"{self.door}/{self.kind}" if self.kind else self.door


class Config(Value, frozen=True, kw_only=True):
    """Everything a debate was created with, defaults filled in. It never changes afterwards."""

    format: str
    topic: str
    settings: dict[str, Any]
    participants: tuple[Participant, ...]
    seed: int | None = None
    draws: tuple[Draw, ...] = ()
    attachments: tuple[Attachment, ...] = ()
    moot_version: str = ""
    forked_from: ForkPoint | None = None
    rematch_of: str = ""
    """The debate that this one is a rematch of: it has its configuration and nothing else of it."""
    follows: str = ""
    """The debate whose question and answer it was given: it is asked what follows from them."""
    origin: Origin | None = None
    """By which door it came, if not by an ordinary one; a fork has that of its source."""
    hears: Hears | None = None
    """What it is about, if it is a hearing of another debate."""
    exam: Examination | None = None
    """What a judge is examined with, if it is an exam."""


class Usage(Value, frozen=True, kw_only=True):
    """What calls consumed. `cost_usd` is None where the price is not known, never a made-up 0.

    `output_tokens` are all that were written and paid for; `thought_tokens` are the part of them
    that nobody was told. `cached_tokens` are part of `input_tokens`.
    """

    input_tokens: int = 0
    output_tokens: int = 0
    thought_tokens: int = 0
    cached_tokens: int = 0
    cost_usd: float | None = None
    is_estimated: bool = False

    @property
    def answer_tokens(self) -> int:
        """What was written for others to read."""
        return self.output_tokens - self.thought_tokens

    @property
    def untold(self) -> Usage:
        """Nothing used; but an unknown price stays unknown and does not become a made-up 0."""
        return Usage(cost_usd=None if self.cost_usd is None else 0.0)

    def __add__(self, other: Usage) -> Usage:
        costs = [cost for cost in (self.cost_usd, other.cost_usd) if cost is not None]
        return Usage(
            input_tokens=self.input_tokens + other.input_tokens,
            output_tokens=self.output_tokens + other.output_tokens,
            thought_tokens=self.thought_tokens + other.thought_tokens,
            cached_tokens=self.cached_tokens + other.cached_tokens,
            cost_usd=sum(costs) if costs else None,
            is_estimated=self.is_estimated or other.is_estimated,
        )


class Function(msgspec.Struct, frozen=True):
    """The tool that is called for, and its arguments as JSON text."""

    name: str
    arguments: str


class ToolCall(msgspec.Struct, frozen=True, kw_only=True):
    """What a model asks to have looked up. Shaped as most providers write it."""

    id: str
    function: Function
    type: str = "function"


class Message(Value, frozen=True, kw_only=True):
    """One entry of a chat history, as models understand it.

    An `assistant` may call tools; each is answered by a message of the role `tool` with its id.
    """

    role: str
    content: str
    tool_calls: tuple[ToolCall, ...] = ()
    tool_call_id: str = ""
