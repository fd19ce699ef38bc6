"""What becomes of a debate file: a definition, and the cast that is drawn from it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from moot.definitions.documents import Document
from moot.protocol.row import Seat
from moot.protocol.values import Draw, Participant, Persona, Sampling, Value
from moot.protocol.words import Role


class Seated(Persona, frozen=True, kw_only=True):
    """A persona with the wishes for its model in this debate."""

    sampling: Sampling = Sampling()


class Pools(Value, frozen=True):
    """One persona is drawn from each. `pro` and `con` may share personas; none is drawn twice."""

    pro: tuple[Persona, ...]
    con: tuple[Persona, ...]
    audience: tuple[Persona, ...] = ()
    moderators: tuple[Persona, ...] = ()


class NamedModel(Value, frozen=True):
    """A model that a file names, and where: one that cannot be had is reported with its line."""

    model: str
    field: str
    line: int | None = None
    is_judge: bool = False


class Definition(Value, frozen=True):
    """A debate as its author wrote it. Without participants and pools, casting uses defaults."""

    format: str
    topic: str
    settings: dict[str, Any]
    participants: tuple[Participant, ...] = ()
    pools: Pools | None = None
    source: str | None = None
    models: tuple[NamedModel, ...] = ()
    attach: tuple[str, ...] = ()
    context_directory: str = ""
    """A directory of files to be read. Relative paths, here and in `attach`, start where the debate
    file is."""


class Shipped(Value, frozen=True, omit_defaults=False):
    """A debate that comes with Moot, as it is listed. Not every format has a premise."""

    name: str
    format: str
    topic: str
    premise: str = ""
    cast: tuple[Seat, ...] = ()
    """Who takes part; of each pool, the first."""


class Cast(Value, frozen=True):
    """Who takes part, in speaking order. `seed` is None when nothing was drawn."""

    participants: tuple[Participant, ...]
    seed: int | None = None
    draws: tuple[Draw, ...] = ()


class LibraryPersona(Value, frozen=True):
    """A persona that can be used by its name, the role it is made for, and where it comes from.

    `replaces` is the origin of the shipped one of the same name, if this is a user's own.
    """

    persona: Persona
    role: Role
    origin: str
    replaces: str = ""

    @property
    def name(self) -> str:
        return self.persona.name

    @property
    def title(self) -> str:
        return self.persona.title


class Panel(Value, frozen=True):
    """A saved set-up that can be asked: a debate without its topic, and how it answers.

    `document` has the keys of a debate file but the topic; `limits` are settings too. `is_saved`
    says that its name finds it again, unlike that of a panel which a file or a program has made up
    for one question. For the rest see `panel_schema.PanelSpec`.
    """

    name: str
    about: str
    format: str
    document: Document
    team: str = ""
    limits: Mapping[str, Any] = {}
    answer: str = "outcome"
    task_model: str = ""
    thinking: str = "steps"
    thinking_field: str = "reasoning_content"
    usage: str = "all"
    inherit: bool = False
    grace_seconds: int = 20
    is_own: bool = False
    is_saved: bool = False

    @property
    def export(self) -> str:
        """The kind of document that is its answer."""
        return "md" if self.answer == "transcript" else "answer"


class Handle(Value, frozen=True):
    """What a persona of the library can be called by; see `personas.pick`."""

    name: str
    title: str
    entry: LibraryPersona


class Team(Value, frozen=True):
    """Members of a council or a room who are used together; `judge` is empty if there is none."""

    name: str
    about: str
    members: tuple[str, ...]
    judge: str = ""
