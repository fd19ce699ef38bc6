"""What is to be debated, read from the options of `moot run` and `moot create`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from moot.cli.advice import LEAST_OF_ID
from moot.cli.telling import tell
from moot.definitions import debates
from moot.definitions.documents import resolve
from moot.engine.creation import NewDebate
from moot.errors import InvalidInput
from moot.protocol.events import NoticePosted
from moot.protocol.settings import OR_NOTHING, Settings, read_settings
from moot.protocol.vocabulary import WARNINGS
from moot.staging import (
    DebateRequest,
    Me,
    ModelChoice,
    Rematch,
    Sources,
    Wish,
    rematch,
    stage,
)
from moot.wiring import System


async def create_debate(system: System, given: dict[str, Any], *, start: bool = False) -> str:
    """The id of the debate that `options.staging` describes. Raises InvalidInput, NotFound or
    NoModel.

    Says on stderr what must be known before anything is spent: which files are left out, and that
    a cap on money cannot be held.
    """
    request = _request(given)
    if request.file is None:
        await _check_topic(system, request.topic)
    return await created(system, stage(request, sources(system)), start=start)


async def create_rematch(system: System, prefix: str, given: dict[str, Any]) -> str:
    """The id of the rematch that the options of `moot rematch` describe. Raises NotFound, Refused,
    InvalidInput or NoModel."""
    service = system.service
    source = await service.find(prefix)
    wanted = Rematch(swap=given["swap"], models=models_of(given), seed=given["seed"])
    config = (await service.state(source)).config
    return await created(system, rematch(config, source, await service.files(source), wanted))


async def created(system: System, new: NewDebate, *, start: bool = False) -> str:
    """The id of that debate; says on stderr what must be known before anything is spent."""
    debate_id = await system.service.create(new, start=start)
    for record in (await system.service.state(debate_id)).notices:
        if isinstance(record.event, NoticePosted) and record.event.code in WARNINGS:
            tell(record.event.text, label="")
    return debate_id


async def _check_topic(system: System, topic: str) -> None:
    """Raises InvalidInput for the id of a debate, where a topic was expected."""
    if len(topic) >= LEAST_OF_ID and topic.isalnum() and await system.service.with_prefix(topic):
        message = f"{topic!r} is a debate that exists; go on with it: moot resume {topic}"
        raise InvalidInput(message, field="TOPIC")


def sources(system: System) -> Sources:
    """Files are seen from here: whoever types a command may read what they can read."""
    settings = system.settings
    return Sources(
        models=system.models,
        personas=settings.personas_path,
        root=settings.context_root or Path.cwd(),
    )


def _request(given: dict[str, Any]) -> DebateRequest:
    here = Path.cwd()
    what, context = given["debate"], given["context"]
    is_file = debates.is_name(what)
    return DebateRequest(
        topic="" if is_file else what,
        file=what if is_file else None,
        format=given["format_"],
        settings=_settings(given),
        team=given["team"] or "",
        with_judge=not given["no_judge"],
        models=_of_team(models_of(given)) if given["team"] else models_of(given),
        wishes=tuple(wishes(given)),
        me=_me(given["me"], given["seat"] or ""),
        seed=given["seed"],
        attach=tuple(str(here / path) for path in given["attach"]),
        context_directory=str(here / context) if context else "",
        allow_secret_files=given["allow_secret_files"],
    )


def _me(names: Sequence[str], seat: str) -> tuple[Me, ...]:
    if seat and len(names) != 1:
        raise InvalidInput("says where you sit: give your name with --me, once", field="--as")
    for name in names:
        if not name.strip():
            raise InvalidInput("needs a name or a role", field="--me")
    return tuple(Me(name=name, seat=seat) for name in names)


def models_of(given: dict[str, Any]) -> ModelChoice:
    """What the options of `options.modelling` ask for. Raises InvalidInput."""
    return ModelChoice(
        everyone=given["model"] or "",
        judges=given["judge_model"] or "",
        single=_member_models(given["member_models"]),
    )


def _of_team(choice: ModelChoice) -> ModelChoice:
    """Members of a team may have models of their own, which come first."""
    return msgspec.structs.replace(choice, everyone="", usual=choice.everyone)


WISHES: Mapping[str, tuple[str, str]] = {
    "efforts": ("--effort", "reasoning_effort"),
    "temperatures": ("--temperature", "temperature"),
    "top_ps": ("--top-p", "top_p"),
    "sampling_seeds": ("--sampling-seed", "sampling_seed"),
}
"""The options that take `VALUE` or `WHO=VALUE`: what they are called, and what they set."""


def wishes(given: dict[str, Any]) -> Iterator[Wish]:
    """What the options of `options.wishing` ask for. Raises InvalidInput."""
    for key, (option, name) in WISHES.items():
        for text in given[key]:
            who, _, value = text.rpartition("=")
            yield Wish(name=name, who=who.strip(), value=_wished(option, name, value.strip()))


def _wished(option: str, name: str, text: str) -> Any:
    try:
        value = resolve(text, is_plain=True)
        # Blank would be null, which unsets a setting but is no wish.
        settings = read_settings(Settings, {name: "" if value is None else value})
    except (InvalidInput, ValueError) as error:
        message = error.message if isinstance(error, InvalidInput) else str(error)
        message = f"{text!r} " + message.removesuffix(OR_NOTHING)
        raise InvalidInput(message, field=option) from None
    return getattr(settings, name)


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
    strict = {"strict_budget": True} if given["strict_budget"] else {}
    answers = {"answers": list(given["answers"])} if given["answers"] else {}
    return {**read_pairs(given["pairs"]), **named, **strict, **answers}


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
