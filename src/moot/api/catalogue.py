"""What there is to choose from: formats, models (and whether one answers), shipped debates.

Also what the settings of formats are called where people fill them in: the titles of their schema.
"""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Mapping
from typing import Annotated, Any

import msgspec
from fastapi import APIRouter, Path, Request
from msgspec.structs import asdict
from starlette.responses import Response

from moot.api import requests as ask
from moot.api.guards.rates import RateLimit
from moot.api.parts import ApiParts
from moot.api.problems import problem
from moot.api.responses import answer, documented
from moot.api.views import UsageView, View
from moot.definitions import debates
from moot.errors import InvalidInput
from moot.models.overview import Entry, Overview, try_model
from moot.models.registry import Choice
from moot.protocol.machine import Format, Transition, mermaid
from moot.protocol.registry import format_named, offered
from moot.protocol.row import Seat
from moot.protocol.words import HUMAN

TITLES: Mapping[str, str] = {
    "max_runtime_seconds": "Stop after so many seconds",
    "max_total_output_tokens": "Stop after so many tokens",
    "max_cost_usd": "Stop when it has cost, in dollars",
    "strict_budget": "Refuse to start if a price is not known",
    "call_timeout_seconds": "Longest call, in seconds",
    "provider_patience_seconds": "How long to wait for a provider, in seconds",
    "human_timeout_seconds": "Time people have to answer, in seconds",
    "model_debater": "Model of debaters and members",
    "model_judge": "Model of judges and moderators",
    "reasoning_effort": "Thinking before answers",
    "max_tokens": "Longest reply, in tokens",
    "checkpoint": "Wait between rounds",
    "turns": "Statements",
    "words": "Words asked for",
    "stance_a": "Side of the first debater",
    "max_rounds": "Rounds",
    "free_rounds": "Rounds of free debate",
    "facilitate": "The moderator steps in between rounds",
    "think": "Think in private before every statement",
    "judge_each_round": "Judge after every round",
    "termination": "It ends",
    "threshold": "Threshold, in per cent",
    "answers": "What the council knows from the start",
    "interactive_clarifications": "Members may ask you questions first",
    "clarifications_max_iterations": "How many rounds of questions there may be",
    "clarifications_max_per_agent": "How many questions each member may ask you first",
    "summary_threshold_tokens": "Summarise a history longer than this, in tokens",
    "decision": "How it is decided",
    "compare": "Compare first and last proposals",
    "max_tool_calls": "File lookups per step",
    "step_retries": "Retries of a failed step",
    "response_delay": "Seconds between messages",
    "max_messages": "Pause after so many messages",
    "max_wait": "Seconds of silence",
    "mention_depth": "Longest chain of mentions",
    "compact": "Go on with a summary when the window is full",
    "say_topic": "Begin with your question as the first message",
}

OF: Mapping[str, str] = {
    "judge": "judges",
    "moderator": "moderator",
    "summary": "summary",
    "free": "free debate",
    "closing": "closing",
}
"""Ends of the names of settings that are for some only: "Longest reply, in tokens (judges)"."""
_OF = re.compile(rf"(.+)_({'|'.join(OF)})")


class StageView(View, frozen=True, kw_only=True):
    """A stage. Only debates with somebody in the role that it `needs` reach it; null: all can."""

    name: str
    about: str
    needs: str | None


class TransitionView(View, frozen=True, kw_only=True, rename={"source": "from", "target": "to"}):
    """A way from stage to stage. `from` is null for the beginning, and `to` for the end; `guard` is
    the condition in words."""

    source: str | None
    event: str
    target: str | None
    guard: str | None
    rounds: str


class FormatSummary(View, frozen=True, kw_only=True):
    id: str
    about: str
    when_to_use: str


class FormatView(FormatSummary, frozen=True, kw_only=True):
    settings_schema: dict[str, Any]
    stages: list[StageView]
    transitions: list[TransitionView]
    mermaid: str


class FormatPage(View, frozen=True, kw_only=True):
    items: list[FormatSummary]
    next: str | None = None


class ModelView(View, frozen=True, kw_only=True):
    """A provider. `reason` says why it can be used, or what is missing. `is_silent` says that it
    could be used, but nothing answers just now at the address that the user has given.

    `models` is what a server on the user's own machine offers. The other fields are what is known
    of `default_model` without asking it, and null where that is not known; prices are in USD for a
    million tokens, and `retirement` says when its provider stops serving it, if that is soon.
    """

    provider: str
    is_usable: bool
    is_silent: bool = False
    reason: str
    default_model: str
    models: list[str]
    context_window: int | None = None
    output_limit: int | None = None
    thinks: bool | None = None
    has_schema: bool | None = None
    has_tools: bool | None = None
    input_usd: float | None = None
    output_usd: float | None = None
    retirement: str = ""


class ChoiceView(View, frozen=True, kw_only=True):
    model: str
    why: str


class ModelPage(View, frozen=True, kw_only=True):
    """`debaters` and `judges` say which model is used where none is named, and why; null if there
    is none.

    `toy_notice` is to be shown wherever the embedded model is used.
    """

    items: list[ModelView]
    next: str | None = None
    debaters: ChoiceView | None = None
    judges: ChoiceView | None = None
    toy_notice: str = ""


class ModelTestView(View, frozen=True, kw_only=True):
    """`error` says in words why a model is not working.

    `keeps_schema` and `calls_tools` are null if that was not tried; `refused` names parameters that
    the server does not take; `allowance` is how many tokens the model is given for its thoughts.
    """

    model: str
    is_working: bool
    reply: str
    thought: str
    error: str
    thinks: bool | None
    keeps_schema: bool | None
    calls_tools: bool | None
    refused: list[str]
    allowance: int
    usage: UsageView
    tokens_per_second: float | None
    duration_ms: int


class DebateFileView(View, frozen=True, kw_only=True):
    """A debate that is shipped; `premise` is empty where its format has none. Where participants
    are drawn, `cast` has the first who could be."""

    name: str
    format: str
    topic: str
    premise: str
    cast: tuple[Seat, ...]


class DebateFilePage(View, frozen=True, kw_only=True):
    items: list[DebateFileView]
    next: str | None = None


VIEWS = (FormatPage, FormatView, ModelPage, ModelTestView, DebateFilePage)


def routes(parts: ApiParts) -> APIRouter:
    router = APIRouter(route_class=ask.JsonRoute, tags=["catalogue"])
    _formats(router)
    _models(router, parts)
    _files(router)
    return router


def _formats(router: APIRouter) -> None:
    @router.get("/api/formats", response_class=Response, responses=documented(FormatPage))
    async def list_formats() -> Response:
        """The formats a debate can have."""
        rows = [
            FormatSummary(id=rules.name, about=rules.about, when_to_use=rules.when_to_use)
            for rules in offered().values()
        ]
        return answer(FormatPage(items=rows))

    @router.get(
        "/api/formats/{format_id}", response_class=Response, responses=documented(FormatView)
    )
    async def get_format(format_id: Annotated[str, Path(max_length=40)]) -> Response:
        """Everything about one format, read from the tables that run it."""
        return answer(format_view(format_named(format_id)))


def _models(router: APIRouter, parts: ApiParts) -> None:
    rate = RateLimit(parts.limits.model_tests_per_minute, time.monotonic)

    @router.get("/api/models", response_class=Response, responses=documented(ModelPage))
    async def list_models() -> Response:
        """The providers of models, and which can be used here."""
        return answer(_model_page(await asyncio.to_thread(parts.overview)))

    @router.post("/api/models/test", response_class=Response, responses=documented(ModelTestView))
    async def test_model(request: Request, body: ask.ModelBody) -> Response:
        """Try a model with up to three short questions, and tell what came of them. This may cost
        money."""
        if wait_s := rate.wait_s(request.client.host if request.client else ""):
            detail = f"too many tests in the last minute; try again in {wait_s} s"
            wait = {"Retry-After": str(wait_s)}
            return problem(429, "too_many_tests", detail, headers=wait)
        return answer(await _tested(parts, body.model))


def _files(router: APIRouter) -> None:
    @router.get("/api/debate-files", response_class=Response, responses=documented(DebateFilePage))
    async def list_debate_files() -> Response:
        """The debates that are shipped with moot."""
        found = await asyncio.to_thread(debates.shipped)
        rows = [DebateFileView(**msgspec.structs.asdict(one)) for one in found]
        return answer(DebateFilePage(items=rows))


def format_view(rules: Format) -> FormatView:
    return FormatView(
        id=rules.name,
        about=rules.about,
        when_to_use=rules.when_to_use,
        settings_schema=titled(msgspec.json.schema(rules.settings)),
        stages=[
            StageView(name=stage.name, about=stage.about, needs=stage.needs)
            for stage in rules.stages
        ],
        transitions=[_transition(row) for row in rules.transitions],
        mermaid=mermaid(rules),
    )


def _transition(row: Transition) -> TransitionView:
    return TransitionView(
        source=row.source,
        event=row.event,
        target=row.target,
        # As `mermaid` writes it.
        guard=row.guard.__name__.strip("_").replace("_", " ") if row.guard else None,
        rounds=row.rounds.value,
    )


def _model_page(found: Overview) -> ModelPage:
    return ModelPage(
        items=[_model(entry) for entry in found.entries],
        debaters=_choice(found.debaters),
        judges=_choice(found.judges),
        toy_notice=found.toy_notice,
    )


def _model(entry: Entry) -> ModelView:
    known = asdict(entry.default) if entry.default else {}
    provider = asdict(entry.provider)
    return ModelView(**provider | {"models": list(entry.provider.models)}, **known)


def _choice(choice: Choice | None) -> ChoiceView | None:
    return ChoiceView(**asdict(choice)) if choice else None


async def _tested(parts: ApiParts, name: str) -> ModelTestView:
    if name == HUMAN:
        raise InvalidInput("a person cannot be tested like a model", field="model")
    trial = await try_model(parts.models, name)
    fields = asdict(trial) | {
        "refused": list(trial.refused),
        "usage": UsageView(**asdict(trial.usage)),
    }
    return ModelTestView(**fields)


def title(setting: str) -> str:
    """What people call that setting."""
    if setting not in TITLES and (found := _OF.fullmatch(setting)):
        return f"{title(found[1])} ({OF[found[2]]})"
    return TITLES.get(setting, setting.replace("_", " ").capitalize())


def titled(schema: dict[str, Any]) -> dict[str, Any]:
    """The schema of a format's settings, with the title of each."""
    root = schema["$defs"][schema["$ref"].rpartition("/")[2]] if "$ref" in schema else schema
    named = {name: {"title": title(name), **given} for name, given in root["properties"].items()}
    made = {**root, "properties": named}
    if root is schema:
        return made
    return {**schema, "$defs": {**schema["$defs"], schema["$ref"].rpartition("/")[2]: made}}
