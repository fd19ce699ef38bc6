"""Models that are not to be on a panel, and who takes their seats.

A model that asks for a second opinion does not want its own. A seat whose model is excluded is
given another: first the models of the panel's other seats, in turn, and then the default models of
the providers that can be used here. A panel is never made smaller, and no model is called for this.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from fnmatch import fnmatchcase
from itertools import cycle

import msgspec

from moot.asking import Asker
from moot.errors import InvalidInput
from moot.ids import new_seed
from moot.staging import ModelChoice
from moot.staging.panels import Question, stage_question

Choices = Callable[[], Sequence[str]]
"""The models that can be used here. May block."""


def is_excluded(model: str, patterns: Sequence[str]) -> bool:
    """Whether one of the patterns is its name, with the provider or without; `*` is anything."""
    name = model.casefold()
    wanted = [pattern.strip().casefold() for pattern in patterns]
    names = (name, name.partition(":")[2])
    return any(fnmatchcase(one, pattern) for one in names if one for pattern in wanted if pattern)


async def without(
    question: Question, patterns: Sequence[str], asker: Asker, choices: Choices
) -> Question:
    """The same question for a panel without these models. Raises InvalidInput if there is no other
    model to be had."""
    if not patterns:
        return question
    # Drawn now: who sits where must be the same when the debate is made.
    seated = msgspec.structs.replace(question, seed=question.seed or new_seed())
    new = await asyncio.to_thread(stage_question, seated, asker.sources)
    roster = [one for one in (await asker.service.plan(new)).participants if not one.is_human]
    out = [one for one in roster if is_excluded(one.model, patterns)]
    if not out:
        return seated
    others = [one.model for one in roster] + list(await asyncio.to_thread(choices))
    left = [one for one in dict.fromkeys(others) if not is_excluded(one, patterns)]
    if not left:
        message = (
            f"leaves no model for {', '.join(one.name for one in out)}: set the key of another "
            "provider (`moot models` lists them), or exclude fewer"
        )
        raise InvalidInput(message, field="exclude_models")
    single = {one.id: model for one, model in zip(out, cycle(left), strict=False)}
    return msgspec.structs.replace(seated, models=ModelChoice(single=single))
