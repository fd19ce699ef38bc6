"""What is to be debated, read from the options of `moot run`, `create` and `rematch`."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec
from msgspec import inspect

from moot.cli.advice import LEAST_OF_ID
from moot.cli.telling import tell
from moot.cli.view.header import print_forecast
from moot.definitions import debates
from moot.definitions.documents import BYTES_MAX, Document, check_text, parse, resolve
from moot.engine.creation import NewDebate
from moot.engine.forecast import forecast, price_of
from moot.errors import InvalidInput
from moot.protocol.events import NoticePosted
from moot.protocol.registry import FORMATS
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

STDIN = "-"


async def create_debate(system: System, given: dict[str, Any], *, start: bool = False) -> str:
    """The id of the debate that `options.staging` describes. Raises InvalidInput, NotFound or
    NoModel.

    Says on stderr what people must know before anything is spent: which files are left out, and
    that a limit on the cost cannot be kept.
    """
    return await created(system, await new_debate(system, given), start=start)


async def new_debate(system: System, given: dict[str, Any]) -> NewDebate:
    """The debate that `options.staging` describes; raises as `create_debate` does."""
    request = _request(given)
    if request.file is None:
        await _check_topic(system, request.topic)
    return stage(request, sources(system))


async def new_rematch(system: System, prefix: str, given: dict[str, Any]) -> NewDebate:
    """The debate that the options of `moot rematch` describe. Raises NotFound, Refused,
    InvalidInput or NoModel."""
    service = system.service
    source = await service.find(prefix)
    wanted = Rematch(swap=given["swap"], models=models_of(given), seed=given["seed"])
    config = (await service.state(source)).config
    return rematch(config, source, await service.files(source), wanted)


async def tell_forecast(system: System, new: NewDebate, *, as_json: bool) -> None:
    """Print what the debate would take. Nothing is created; raises what creating it would."""
    config = await system.service.plan(new)
    pace = await system.service.pace.seconds()
    models = system.models
    found = await asyncio.to_thread(forecast, config, models, price_of(models), pace)
    if new.left_out:
        tell(new.left_out, label="")
    print_forecast(config, found, as_json=as_json)


async def created(system: System, new: NewDebate, *, start: bool = False) -> str:
    """The id of the debate, which is created; says on stderr what people must know of it."""
    debate_id = await system.service.create(new, start=start)
    for record in (await system.service.state(debate_id)).notices:
        if isinstance(record.event, NoticePosted) and record.event.code in WARNINGS:
            tell(record.event.text, label="")
    return debate_id


async def _check_topic(system: System, topic: str) -> None:
    """Raises InvalidInput for the id of a debate, where a topic was expected."""
    if len(topic) >= LEAST_OF_ID and topic.isalnum() and await system.service.with_prefix(topic):
        message = f"{topic!r} is an existing debate; continue it with: moot resume {topic}"
        raise InvalidInput(message, field="TOPIC")


def sources(system: System) -> Sources:
    """Where the parts of a debate are looked up: files below the working directory, unless the
    settings name another, because whoever types a command may read what they can read."""
    settings = system.settings
    return Sources(
        models=system.models,
        personas=settings.personas_path,
        root=settings.context_root or Path.cwd(),
    )


def _request(given: dict[str, Any]) -> DebateRequest:
    here = Path.cwd()
    what, context = given["debate"], given["context"]
    file = _file(what)
    return DebateRequest(
        topic="" if file is not None else what,
        file=file,
        format=given["format_"],
        settings=_settings(given),
        team=given["team"] or "",
        with_judge=not given["no_judge"],
        models=models_of(given),
        wishes=tuple(wishes(given)),
        me=_me(given["me"], given["seat"] or ""),
        seed=given["seed"],
        attach=tuple(str(here / path) for path in given["attach"]),
        context_directory=str(here / context) if context else "",
        allow_secret_files=given["allow_secret_files"],
    )


def _file(what: str) -> str | Document | None:
    """The debate file that is meant, read already if it comes from standard input; None for a
    topic."""
    if what != STDIN:
        return what if debates.is_name(what) else None
    if sys.stdin.isatty():
        tell("reading a debate file from the terminal; end it with Ctrl-D", label="")
    return parse(sys.stdin.buffer.read(BYTES_MAX + 1), "standard input")


def _me(names: Sequence[str], seat: str) -> tuple[Me, ...]:
    if seat and len(names) != 1:
        raise InvalidInput("needs --me with your name, exactly once", field="--as")
    for name in names:
        if not name.strip():
            raise InvalidInput("is empty: give your name, or a role", field="--me")
    return tuple(Me(name=name, seat=seat) for name in names)


def models_of(given: dict[str, Any]) -> ModelChoice:
    """What the options of `options.modelling` ask for. Raises InvalidInput."""
    return ModelChoice(
        everyone=given["model"] or "",
        judges=given["judge_model"] or "",
        single=_member_models(given["member_models"]),
    )


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
        # A blank value would be null, which unsets a setting but is no wish.
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
            message = f"{pair!r} must be WHO=PROVIDER:NAME"
            raise InvalidInput(message, field="--member-model")
        models[who.strip()] = model.strip()
    return models


def _settings(given: dict[str, Any]) -> dict[str, Any]:
    named = {key: given[key] for key in ("premise", "turns") if given[key] is not None}
    strict = {"strict_budget": True} if given["strict_budget"] else {}
    answers = {"answers": list(given["answers"])} if given["answers"] else {}
    return {**read_pairs(given["pairs"]), **named, **strict, **answers}


def read_pairs(pairs: Sequence[str]) -> dict[str, Any]:
    """The settings in pairs `key=value`, whose values are read as YAML reads a bare word: number,
    true, false, or text.

    The value of a setting that is a list of texts is a list: `red,blue` or `["red", "blue"]`.
    Raises InvalidInput.
    """
    settings: dict[str, Any] = {}
    for pair in pairs:
        key, equals, value = pair.partition("=")
        if not equals or not key:
            message = f"{pair!r} must be KEY=VALUE"
            raise InvalidInput(message, field="--set")
        try:
            settings[key] = (
                _list(key, value) if key in list_settings() else resolve(value, is_plain=True)
            )
        except ValueError as error:
            raise InvalidInput(str(error), field=f"--set {key}") from None
    return settings


def list_settings() -> frozenset[str]:
    """The settings that are lists of texts in every format that has them.

    They are told by their names alone: the format may stand in a file that is yet to be read.
    """
    found: dict[str, bool] = {}
    for rules in FORMATS.values():
        for field in msgspec.structs.fields(rules.settings):
            is_list = isinstance(_bare(field.type), inspect.VarTupleType)
            found[field.name] = is_list and found.get(field.name, True)
    return frozenset(name for name, is_list in found.items() if is_list)


def _bare(annotation: Any) -> inspect.Type:
    kind = inspect.type_info(annotation)
    return kind.type if isinstance(kind, inspect.Metadata) else kind


def _list(key: str, text: str) -> list[str]:
    """The texts between commas, or of a JSON list. Raises ValueError that says how to write one."""
    if not text.strip().startswith("["):
        return [check_text(one.strip()) for one in text.split(",") if one.strip()]
    try:
        found = msgspec.json.decode(text, type=list[str])
    except msgspec.DecodeError:
        message = (
            f"must be a list of texts; write it as {key}=red,blue or, if a text has a comma in it, "
            f'as a JSON list in single quotes: \'{key}=["red", "blue"]\''
        )
        raise ValueError(message) from None
    return [check_text(one) for one in found]
