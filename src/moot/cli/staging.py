"""What is to be debated, read from the options of `moot run` and `moot create`."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec

from moot.context import Found, read_context
from moot.definitions import debates, teams
from moot.definitions.scalars import resolve
from moot.definitions.values import Definition, Team
from moot.engine.creation import NewDebate
from moot.errors import InvalidInput
from moot.library import stage
from moot.protocol.words import HUMAN
from moot.wiring import System


def new_debate(system: System, given: dict[str, Any]) -> NewDebate:
    """The debate that `options.staging` describes. Raises InvalidInput or NotFound.

    Says on stderr which files it leaves out.
    """
    definition = _definition(system, given)
    model, judge_model = given["model"], given["judge_model"]
    has_judge = not given["no_judge"]
    debates.check_models(
        definition,
        system.models.get,
        is_replaced=lambda is_judge: bool(model or (is_judge and (judge_model or not has_judge))),
    )
    found = _files(system, definition, given)
    if told := found.told():
        print(told, file=sys.stderr)
    staged = stage(
        definition,
        seed=given["seed"],
        model=None if given["team"] else model,  # a team has been given it already
        judge_model=judge_model,
        member_models=_member_models(given["member_models"]) | dict.fromkeys(given["me"], HUMAN),
        with_judge=has_judge,
    )
    return msgspec.structs.replace(staged, files=tuple(found.files), left_out=found.told())


def _files(system: System, definition: Definition, given: dict[str, Any]) -> Found:
    """What the options name, seen from here, and what the debate file names, seen from there."""
    here = Path.cwd()
    there = here / Path(definition.source).parent if definition.source else here
    attach = [str(here / path) for path in given["attach"]]
    attach += [str(there / path) for path in definition.attach]
    if given["context"]:
        directory = str(here / given["context"])
    else:
        directory = (
            str(there / definition.context_directory) if definition.context_directory else ""
        )
    root = system.settings.context_root or here
    return read_context(root, directory=directory, attach=attach)


def _definition(system: System, given: dict[str, Any]) -> Definition:
    what, team = given["debate"], teams.team(given["team"]) if given["team"] else None
    settings, folder = _settings(given), system.settings.personas_path
    if debates.is_name(what):
        found = debates.changed(
            debates.load(what, folder), format=given["format_"], settings=settings
        )
    else:
        usual = next(iter(teams.FORMATS)) if team else "duel"
        found = debates.from_topic(what, format=given["format_"] or usual, settings=settings)
    return _with_team(found, team, folder, given["model"]) if team else found


def _with_team(found: Definition, team: Team, folder: Path, model: str | None) -> Definition:
    """The definition with a team in place of whoever takes part; `model` is for who has none."""
    if found.format not in teams.FORMATS:
        message = f"a {found.format} has no members; use --format {' or '.join(teams.FORMATS)}"
        raise InvalidInput(message, field="--team")
    members = (
        msgspec.structs.replace(one, model=one.model or model or "")
        for one in teams.seated(team, folder, with_judge=teams.FORMATS[found.format])
    )
    return msgspec.structs.replace(found, participants=tuple(members), pools=None, models=())


def _member_models(pairs: Sequence[str]) -> dict[str, str]:
    models: dict[str, str] = {}
    for pair in pairs:
        who, equals, model = pair.partition("=")
        if not (who.strip() and equals and model.strip()):
            message = f"{pair!r} is not WHO=PROVIDER:NAME"
            raise InvalidInput(message, field="--member-model")
        models[who.strip()] = model.strip()
    return models


def _settings(given: dict[str, Any]) -> dict[str, Any]:
    named = {key: given[key] for key in ("premise", "turns") if given[key] is not None}
    return {**read_pairs(given["pairs"]), **named}


def read_pairs(pairs: Sequence[str]) -> dict[str, Any]:
    """`key=value`, the value read as YAML reads a bare word: number, true, false, or text."""
    settings: dict[str, Any] = {}
    for pair in pairs:
        key, equals, value = pair.partition("=")
        if not equals or not key:
            message = f"{pair!r} is not KEY=VALUE"
            raise InvalidInput(message, field="--set")
        try:
            settings[key] = resolve(value, is_plain=True)
        except ValueError as error:
            raise InvalidInput(str(error), field=f"--set {key}") from None
    return settings
