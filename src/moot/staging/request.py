"""What somebody asks for, and where its parts are looked up. Nothing is read or decided here."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from moot.definitions.casting import Named
from moot.definitions.documents import Document
from moot.engine.attaching import File
from moot.models.port import Models
from moot.protocol.values import Origin, Participant


class ModelChoice(msgspec.Struct, frozen=True, kw_only=True):
    """The models that are wanted. None of them replaces a person, except one in `single`."""

    everyone: str = ""
    """In place of whatever model a participant names."""
    judges: str = ""
    """The same for judges and moderators; it comes before `everyone`."""
    usual: str = ""
    """For participants that name no model."""
    single: Mapping[str, str] = {}
    """By id, by name or title or the beginning of either, or by role: then the first who has it."""

    def replaces(self, *, is_judge: bool) -> bool:
        """Whether a model that a file names for a judge, or for anybody else, is not used."""
        return bool(self.everyone or (is_judge and self.judges))


class Wish(msgspec.Struct, frozen=True, kw_only=True):
    """What somebody wants instead of what a file says: a setting of `SAMPLING`, and a value.

    `who` is a role, for all who have it, or one participant by name or title. If it is empty, the
    wish is for the whole debate, in place of whatever the file says of anybody.
    """

    name: str
    value: Any
    who: str = ""


class Me(msgspec.Struct, frozen=True, kw_only=True):
    """A person who takes part, under a name of their own or in place of somebody by name or role.

    The name is their own if they say where they sit, or if on a bare topic nobody else has it.
    """

    name: str
    seat: str = ""
    """A role, `pro` or `con`, or the name of whoever has the chair; empty is debater or member."""
    is_own: bool = False
    """Whether the name is their own, whatever it is."""


class DebateRequest(msgspec.Struct, frozen=True, kw_only=True):
    """A debate that somebody wants: on a topic, or as a file says. The other fields override it."""

    topic: str = ""
    """In place of the file's, if there is one."""
    file: str | Path | Document | None = None
    """A path, the name of a shipped debate, or what was read from elsewhere."""
    format: str | None = None
    settings: Mapping[str, Any] = {}
    participants: tuple[Participant | Named, ...] = ()
    """In full, or personas by name."""
    team: str = ""
    """A team by its name, instead of participants."""
    with_judge: bool = True
    models: ModelChoice = ModelChoice()
    wishes: tuple[Wish, ...] = ()
    me: tuple[Me, ...] = ()
    """The people who take part themselves."""
    seed: int | None = None
    """The seed for what is drawn; None means a new one."""
    files: tuple[File, ...] = ()
    """Texts that were sent."""
    attach: tuple[str, ...] = ()
    context_directory: str = ""
    """Files to be read, below the directory that may be read."""
    follows: str = ""
    """The debate whose answer it goes on from; its question and answer are among `files`."""
    origin: Origin | None = None
    """By which door it came, if not by an ordinary one."""
    allow_secret_files: bool = False
    """Only for people who may read those files anyway and say so; no file or HTTP client can."""

    @property
    def is_bare(self) -> bool:
        """Whether nobody is named who takes part."""
        return not (self.file or self.participants or self.team)


class Sources(msgspec.Struct, frozen=True, kw_only=True):
    """Where the parts of a debate are looked up."""

    models: Models
    personas: Path | None = None
    """The user's own personas."""
    root: Path | None = None
    """The directory below which files may be read; None if none may be."""
