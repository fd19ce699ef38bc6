"""Which room is meant: a new one, or one that exists."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

import click
import msgspec

from moot.cli.staging import WISHES, read_pairs, sources, wishes
from moot.definitions import personas
from moot.definitions.casting import chair, seat
from moot.definitions.debates import IS_TOPIC, is_file_name
from moot.definitions.values import LibraryPersona
from moot.engine.creation import NewDebate
from moot.errors import InvalidInput, NotFound, Refused
from moot.protocol.formats.room.rules import Room
from moot.protocol.values import Participant
from moot.protocol.words import Role
from moot.staging import DebateRequest, ModelChoice, discussion, stage
from moot.wiring import System

TOPIC = "An open conversation"
# A word in lower case is taken for an id, known or not: a room opened by a typing error would cost
# money.
_ID = re.compile(r"[a-z][0-9a-z]{0,15}")
CREATING = ("members", "team", "model", "is_auto", "pairs", "source", *WISHES)


async def opened(system: System, given: dict[str, Any]) -> str:
    """The id of the room. Raises InvalidInput, NotFound, NoModel, or Refused if it is over."""
    if given["what"] is not None and not given["what"].strip():
        raise InvalidInput("is empty: give a topic or an id, or leave it out", field="TOPIC|ID")
    what = (given["what"] or "").strip()
    if given["source"] is not None:
        return await system.service.create(await _about(system, what, given), start=True)
    found = await _existing(system, what) if what else None
    if found is None:
        return await system.service.create(_new(system, what, given), start=True)
    if any(given[name] not in (None, ()) for name in CREATING):
        raise InvalidInput(
            "this room exists already and keeps its members and settings: leave out the options",
            field="ID",
        )
    return found


async def _existing(system: System, what: str) -> str | None:
    """The id of the room whose id begins with `what`; None if `what` is not an id but a topic."""
    if is_file_name(what):
        message = f"{what!r} is the name of a file; {IS_TOPIC}, or run a file with: moot run {what}"
        raise InvalidInput(message, field="TOPIC|ID")
    if not _ID.fullmatch(what):
        return None
    if not await system.service.with_prefix(what):
        message = (
            f"there is no room {what!r}; list your rooms with: moot list --format room. "
            f"{IS_TOPIC[0].upper()}{IS_TOPIC[1:]}, or begin it with a capital letter"
        )
        raise NotFound(message)
    debate_id = await system.service.find(what)
    summary = await system.service.summary(debate_id)
    if summary.format != Room.name:
        message = f"debate {debate_id} is not a room; see it with: moot show {debate_id}"
        raise InvalidInput(message, field="ID")
    if summary.status.is_terminal:
        message = f"this room is {summary.status}; see it with: moot show {debate_id}"
        raise Refused(message)
    return debate_id


async def _about(system: System, what: str, given: dict[str, Any]) -> NewDebate:
    """A room about the solution of a council."""
    if any((what, given["members"], given["team"], given["model"])):
        message = "brings the topic, members and models of the council: leave out your own"
        raise InvalidInput(message, field="--from")
    source = await system.service.find(given["source"])
    request = discussion(await system.service.shown(source), source)
    return stage(msgspec.structs.replace(request, settings=_settings(given)), sources(system))


def _new(system: System, topic: str, given: dict[str, Any]) -> NewDebate:
    request = DebateRequest(
        topic=topic or TOPIC,
        format=Room.name,
        settings=_settings(given),
        participants=_members(given, system.settings.personas_path),
        team=given["team"] or "",
        models=ModelChoice(usual=given["model"] or ""),
        wishes=tuple(wishes(given)),
    )
    return stage(request, sources(system))


def _settings(given: dict[str, Any]) -> dict[str, Any]:
    settings = read_pairs(given["pairs"])
    if given["is_auto"] is not None:
        settings["pacing"] = "auto" if given["is_auto"] else "manual"
    elif not sys.stdin.isatty():
        # A script says when members speak: in auto they would go on to their limit after each line.
        settings.setdefault("pacing", "manual")
    return settings


def _members(given: dict[str, Any], folder: Path) -> tuple[Participant, ...]:
    """The members named by --with; without it nobody, for the usual members or those of a team."""
    if given["members"] is None:
        return ()
    if given["team"]:
        raise InvalidInput("cannot be used together with --with", field="--team")
    names = [name.strip() for name in given["members"].split(",") if name.strip()]
    if not names:
        raise InvalidInput("is empty: name at least one persona", field="--with")
    return seat([chair(entry, Role.MEMBER) for entry in _found(names, folder)])


def _found(names: list[str], folder: Path) -> list[LibraryPersona]:
    """Each persona once: `architect,ada` can name the same one by title and by name."""
    found: dict[str, LibraryPersona] = {}
    for name in names:
        entry = personas.find(name, folder)
        if entry.name in found:
            click.echo(f"{name}: {entry.name} is already here, and takes part once", err=True)
        found[entry.name] = entry
    return list(found.values())


def newcomer(text: str, folder: Path) -> Participant:
    """Who is to join: a persona, or `Name | Title: what they are like`."""
    name, colon, personality = (part.strip() for part in text.partition(":"))
    if not colon:
        try:
            return seat([chair(personas.find(text, folder), Role.MEMBER)])[0]
        except NotFound as error:
            message = f"{error}; or write: /add Name | Title: what they are like"
            raise NotFound(message) from None
    name, _, title = (part.strip() for part in name.partition("|"))
    return Participant(id="", name=name, title=title, role=Role.MEMBER, personality=personality)
