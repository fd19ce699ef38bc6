"""What is to be debated, read from the options of `moot run` and `moot create`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from moot.definitions import debates
from moot.definitions.scalars import resolve
from moot.definitions.values import Definition
from moot.engine.creation import NewDebate
from moot.errors import InvalidInput
from moot.library import stage
from moot.wiring import System


def new_debate(system: System, given: dict[str, Any]) -> NewDebate:
    """The debate that `options.staging` describes. Raises InvalidInput or NotFound."""
    return stage(
        _definition(system, given),
        seed=given["seed"],
        model=given["model"],
        judge_model=given["judge_model"],
        with_judge=not given["no_judge"],
    )


def _definition(system: System, given: dict[str, Any]) -> Definition:
    what = given["debate"]
    settings = _settings(given)
    if not debates.is_name(what):
        return debates.from_topic(what, format=given["format_"] or "duel", settings=settings)
    found = debates.load(what, system.settings.personas_path)
    return msgspec.structs.replace(
        found,
        format=given["format_"] or found.format,
        settings={**found.settings, **settings},
    )


def _settings(given: dict[str, Any]) -> dict[str, Any]:
    named = {key: given[key] for key in ("premise", "turns") if given[key] is not None}
    return {**_pairs(given["pairs"]), **named}


def _pairs(pairs: Sequence[str]) -> dict[str, Any]:
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
