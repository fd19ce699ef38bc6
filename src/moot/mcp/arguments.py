"""What each tool takes, and what hosts are told of it: the only texts by which their models choose.

All of it together is sent with every conversation, so that each word has to earn its place.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from moot.errors import InvalidInput
from moot.protocol.registry import USUAL
from moot.structs import ready

USUAL_WAIT_S, LONGEST_WAIT_S = 45, 280
"""Most hosts give up after 60 s, the most patient ones after 300 s without news."""
USUAL_PANEL = "council"
MOST_LISTED, MOST_TURNS = 50, 100
LONGEST_QUERY, LONGEST_QUESTION = 1000, 100_000
"""A question that is too long for a topic is read as a file."""

Wait = Annotated[float, Meta(description=f"The call returns by then; {LONGEST_WAIT_S} at most.")]
"""Described only once, for the first tool: descriptions are sent with every conversation."""
Fresh = Annotated[bool, Meta(description="Begin anew, even if the same was asked just now.")]
DebateId = str


Asked = Annotated[str, Meta(max_length=LONGEST_QUESTION)]


class Text(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A file whose text is sent."""

    name: str
    content: str


class AskCouncil(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    question: Asked
    panel: Annotated[
        str, Meta(description="council, council-deep, duel, poll, red-team or your own.")
    ] = USUAL_PANEL
    files: Annotated[
        tuple[Text | str, ...],
        Meta(description="Texts, or paths below MOOT_CONTEXT_ROOT."),
    ] = ()
    exclude_models: Annotated[
        tuple[str, ...],
        Meta(description="Not to be on the panel, such as your own model; * matches anything."),
    ] = ()
    after: Annotated[str, Meta(description="A debate that this is a follow-up to.")] = ""
    wait_seconds: Wait = USUAL_WAIT_S
    fresh: Fresh = False


class Debate(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    topic: Asked
    premise: Annotated[str, Meta(description="What one side defends.")] = ""
    format: Annotated[str, Meta(description="duel, rounds, standard, classic ...")] = USUAL
    turns: Annotated[int, Meta(ge=1, le=MOST_TURNS)] | None = None
    wait_seconds: float = USUAL_WAIT_S
    fresh: bool = False


class StatusOf(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    debate: DebateId
    stop: Annotated[bool, Meta(description="Stop it instead; nothing is lost.")] = False
    wait_seconds: float = USUAL_WAIT_S


class AnswerTo(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    debate: DebateId
    answers: Annotated[
        dict[str, Any] | str,
        Meta(description="By question id: a text, the fields of its form, or '' to pass."),
    ]
    wait_seconds: float = USUAL_WAIT_S


class Judge(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    debate: DebateId
    bench: Annotated[tuple[str, ...], Meta(description="Models.")] = ()
    wait_seconds: float = USUAL_WAIT_S
    fresh: bool = False


class ListDebates(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    query: Annotated[str, Meta(max_length=LONGEST_QUERY)] = ""
    limit: Annotated[int, Meta(ge=1, le=MOST_LISTED)] = 10


Arguments = AskCouncil | Debate | StatusOf | AnswerTo | Judge | ListDebates


class Described(msgspec.Struct, frozen=True, kw_only=True):
    """A tool: what it takes, what hosts are told of it, and whether it only reads."""

    takes: type[Arguments]
    about: str
    is_reading: bool = False


TOOLS: Mapping[str, Described] = {
    "ask_council": Described(
        takes=AskCouncil,
        about="Ask a panel of models a question and get one answer. A council criticises its "
        "proposals and settles on one; a poll only votes. Takes a minute or more: if the result is "
        "not there when the call returns, `next` says what to call; asking again with the same "
        "arguments costs nothing.",
    ),
    "debate": Described(
        takes=Debate,
        about="Hold a debate on a topic: in a duel, two sides argue before a judge, who gives a "
        "verdict with reasons.",
    ),
    "status": Described(
        takes=StatusOf,
        about="Wait for a debate and get its progress or result. Goes on with one that was "
        "stopped or has failed.",
    ),
    "answer": Described(
        takes=AnswerTo,
        about="Give the user's answers to the questions of a debate that is waiting. Ask the user "
        "first; do not make answers up.",
    ),
    "judge": Described(
        takes=Judge,
        about="Ask a bench of judges whether a verdict survives being asked again. Stable does "
        "not mean right.",
    ),
    "list_debates": Described(
        takes=ListDebates,
        about="Earlier debates, newest first: ids, topics and status.",
        is_reading=True,
    ),
}

ready(*(one.takes for one in TOOLS.values()))


_TRUTH, _DEBATE = "must be true or false", "must be the id of a debate; list_debates has them"
_ASKED = f"must be a text of at most {LONGEST_QUESTION:,} characters"
MUST: Mapping[str, str] = {
    "question": _ASKED,
    "topic": _ASKED,
    "panel": "must be the name of a panel",
    "files": "must be paths, or texts as {name, content}, in a list",
    "exclude_models": "must be a list of names of models",
    "after": _DEBATE,
    "wait_seconds": f"must be a number of seconds, up to {LONGEST_WAIT_S}",
    "fresh": _TRUTH,
    "premise": "must be a text",
    "format": "must be the name of a format",
    "turns": f"must be a whole number from 1 to {MOST_TURNS}",
    "debate": _DEBATE,
    "stop": _TRUTH,
    "answers": "must be the answers by question id, or the text of the only one",
    "bench": "must be a list of models, as provider:name",
    "query": f"must be a text of at most {LONGEST_QUERY:,} characters",
    "limit": f"must be a whole number from 1 to {MOST_LISTED}",
}
"""What each argument has to be, for models that got it wrong."""
_MISSING = re.compile(r"missing required field `(\w+)`")
_UNKNOWN = re.compile(r"unknown field `(.*)`")


def read(tool: str, given: Mapping[str, Any]) -> Arguments:
    """What a call asks for. Raises InvalidInput for arguments that the tool does not take."""
    kind = TOOLS[tool].takes
    # Many models write null for what they leave out.
    kept = {key: value for key, value in given.items() if value is not None}
    wait_s = kept.get("wait_seconds")
    if isinstance(wait_s, int | float) and not isinstance(wait_s, bool):
        kept["wait_seconds"] = min(wait_s, LONGEST_WAIT_S) if wait_s > 0 else 0
    try:
        return msgspec.convert(kept, kind)
    except msgspec.ValidationError as error:
        raise _mistake(str(error), kind) from None


def _mistake(told: str, kind: type[Arguments]) -> InvalidInput:
    """What msgspec says, in plain words and with the argument it is about."""
    what, _, path = told.partition(" - at `$")
    place = path.strip("`.")
    argument = re.split(r"[.\[]", place)[0]
    if argument:
        return InvalidInput(MUST[argument], field=place)
    if missing := _MISSING.search(what):
        return InvalidInput("is required", field=missing[1])
    unknown = _UNKNOWN.search(what)
    names = ", ".join(kind.__struct_fields__)
    return InvalidInput(f"there is no argument {unknown[1] if unknown else ''!r}; use {names}")


def schema(tool: str) -> dict[str, Any]:
    """The JSON schema of a tool's arguments, without what says nothing to a model."""
    (found,), parts = msgspec.json.schema_components([TOOLS[tool].takes], ref_template="{name}")
    inlined = _inlined(found, parts)
    assert isinstance(inlined, dict)  # noqa: S101 - so is every schema of a struct
    return inlined


def _inlined(found: Any, parts: Mapping[str, Any]) -> Any:
    """The schema with each reference replaced by what it refers to, and without titles of our
    classes."""
    if isinstance(found, list | tuple):
        return [_inlined(one, parts) for one in found]
    if not isinstance(found, dict):
        return found
    if "$ref" in found:
        return _inlined({**parts[found["$ref"]], **_without(found, "$ref")}, parts)
    kept = found
    if found.get("type") == "object" and "title" in found:
        kept = _without(found, "title", "description")
    return {key: _inlined(value, parts) for key, value in kept.items()}


def _without(found: Mapping[str, Any], *keys: str) -> dict[str, Any]:
    return {key: value for key, value in found.items() if key not in keys}
