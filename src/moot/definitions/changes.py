"""A definition with what somebody wants otherwise this time, and whether its models can be had."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from moot.definitions.crosschecks import POOLED, SIDE, SIDED, setting_mistakes
from moot.definitions.document import located, together
from moot.definitions.values import Definition
from moot.errors import InvalidInput, NoModel
from moot.protocol.registry import format_named
from moot.protocol.values import Participant
from moot.protocol.words import HUMAN, Stance


def between(definition: Definition, participants: tuple[Participant, ...]) -> Definition:
    """The definition with those in place of whoever takes part in it."""
    return msgspec.structs.replace(definition, participants=participants, pools=None, models=())


def changed(definition: Definition, *, settings: Mapping[str, Any]) -> Definition:
    """The definition with settings in place of its own.

    Raises InvalidInput for every one that will not do, or that could only be ignored.
    """
    if SIDE in settings:
        _check_side(definition)
    given = {**definition.settings, **settings}
    if wrong := setting_mistakes(format_named(definition.format).settings, given):
        raise together(wrong)
    replaced = {f"settings.{key}" for key in settings}
    return msgspec.structs.replace(
        definition,
        settings=given,
        models=tuple(one for one in definition.models if one.field not in replaced),
    )


def _check_side(definition: Definition) -> None:
    if definition.pools:
        raise InvalidInput(POOLED, field=f"settings.{SIDE}")
    if any(one.stance is not Stance.NONE for one in definition.participants):
        raise InvalidInput(SIDED, field=f"settings.{SIDE}")


def check_models(
    definition: Definition,
    get: Callable[[str], object],
    *,
    is_replaced: Callable[[bool], bool] = lambda _is_judge: False,
) -> None:
    """Raises InvalidInput with the lines of all models in the file that cannot be had.

    `get` raises NoModel for those; `is_replaced` says whose models are not used anyway: the
    judge's, if asked with true, or everybody else's.
    """
    mistakes = []
    for named in definition.models:
        if named.model == HUMAN or is_replaced(named.is_judge):
            continue
        try:
            get(named.model)
        except NoModel as error:
            loc = tuple(named.field.split("."))
            mistakes.append(located(str(error), definition.source, named.line, loc))
    if mistakes:
        raise together(mistakes)
