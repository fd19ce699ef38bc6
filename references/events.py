"""The reference of events as Markdown: what stands in a log, in words.

`make references` writes it to `docs/reference/events.md`.

Types and defaults are read from `moot.protocol.events`; a test requires a sentence for every field.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, get_args

import msgspec

from moot.protocol import events as e
from moot.protocol.words import Finish, Pacing, StepKind, StopReason, Visibility

INTRODUCTION = """# Events

<!-- Made by `make references`; do not edit. -->

A debate is a list of events, in order. Nothing in it is ever changed or removed; status,
transcript, scores and cost are computed from it.
You meet the same events in the [live stream](http.md), in `moot run --json`, in `moot export ID
--as log` and in Python's `debate.stream()`.

In a log, every event has `seq` (its place, counted from 1), `at` (when it was recorded, in UTC)
and `type`, which is the heading below, with the fields listed there.
Fields that have their default are left out.
Events are never renamed, and later versions of Moot read them all: fields may be added, so ignore
those you do not know.
"""

Fields = Mapping[str, str]
SPENT = "Tokens and cost; `cost_usd` is null where the price is not known"
WHO = "The participant's id"

GROUPS: Mapping[str, Mapping[type[e.Event], tuple[str, Fields]]] = {
    "The life of a debate": {
        e.DebateCreated: (
            "The first event of every log.",
            {
                "config": (
                    "Everything the debate was created with: format, topic, settings, "
                    "roster, models, files, draws"
                )
            },
        ),
        e.DebateStarted: ("It began to run.", {}),
        e.StopRequested: (
            "Somebody asked it to stop: steps in flight are finished, nothing new begins.",
            {},
        ),
        e.DebateStopped: ("It stands still and can be resumed.", {"reason": "Why"}),
        e.DebateResumed: ("It goes on after a stop.", {}),
        e.DebateRecovered: (
            "A worker took over a debate that another worker had left running.",
            {},
        ),
        e.ClockJumped: (
            (
                "The machine slept, its clock was set, or nobody ran the debate for a while. "
                "Time limits are not affected."
            ),
            {"ran_s": "How long the debate has really been running, in seconds"},
        ),
        e.DebateSuspended: ("Only people are left to act; it waits for them.", {}),
        e.EndRequested: (
            "Somebody asked it to end now: it goes straight to its closing stage.",
            {},
        ),
        e.DebateCanceled: (
            "It is over at once, without an outcome. Nothing follows but a title.",
            {},
        ),
        e.DebateFailed: (
            "A step that is needed could not be done. The debate can be retried.",
            {
                "error": "What went wrong, in words",
                "code": "The same, for programs",
                "step_key": "The step that failed",
            },
        ),
        e.DebateRetried: ("It was retried: whatever is missing runs again, and nothing else.", {}),
        e.DebateCompleted: (
            "It came to its end.",
            {
                "stop_reason": "Why it ended",
                "outcome": "The verdict, summary or solution; null if there is none",
            },
        ),
    },
    "The course of a debate": {
        e.StageEntered: (
            "A stage or a round of it began.",
            {
                "stage": "Its name",
                "round": "Counted from 1",
                "by": "The event of the format's table that led here",
            },
        ),
        e.LimitReached: (
            "A limit was reached. Only what is still owed may begin now.",
            {"limit": "Which limit", "observed": "The figure that reached it"},
        ),
        e.TurnRecorded: (
            (
                "Somebody spoke, thought, scored or voted: the result of one step. There "
                "is at most one for each `step_key`."
            ),
            {
                "step_key": "The step, such as `exchange/3/ada/think`",
                "participant": WHO,
                "kind": "What was done",
                "stage": "The stage",
                "round": "The round",
                "place": "Where it stands in the transcript, whenever it arrived",
                "visibility": "Whether the other participants see it",
                "content": "The text",
                "about": "The participant that a score or critique is about",
                "data": "What was read from the text, such as a score or a ballot",
                "prompt": "What the model was asked in this step",
                "model": "The model, as `provider:name`",
                "usage": SPENT,
                "duration_ms": "How long the call took",
                "attempts": "How many tries it took",
                "finish": "Why the model stopped writing",
                "flags": (
                    "What a reader should know, such as `truncated`, `unreadable` or `passed`"
                ),
                "included": "Whether it goes into later prompts",
                "is_pending": "Whether a person has yet to choose it (rooms in manual mode)",
                "reasoning": (
                    "What the model thought first, if its provider shows it; no model is "
                    "ever sent it"
                ),
                "sampling": "Temperature and the like, as they were sent",
            },
        ),
        e.AttemptFailed: (
            "One try of a step failed.",
            {
                "attempt_of": "The step",
                "attempt": "Which try it was, counted from 1",
                "code": "What went wrong, for programs",
                "error": "What went wrong, in words",
                "participant": WHO,
                "model": "The model that was asked",
                "usage": "What it cost nevertheless",
                "duration_ms": "How long it took",
                "reply": "What the model said, if it could not be read",
                "retry_in_s": "The pause before the next try",
            },
        ),
        e.ToolUsed: (
            "A model looked something up in the files of the debate before it answered.",
            {
                "used_by": "The step",
                "exchange": "Which reply asked for it, counted from 1",
                "tool": "`list_files`, `search_files` or `read_file`",
                "arguments": "What it asked for, as JSON",
                "call_id": "The provider's id of the call",
                "result_sha256": "The hash of what it got",
                "result_chars": "The size of what it got",
                "is_error": "Whether the look-up failed",
                "duration_ms": "How long the look-up took",
                "said": "What the model said besides",
                "model": "The model",
                "usage": "What the reply cost; with the first tool of a reply only",
                "reply_ms": "How long the reply took",
            },
        ),
        e.StepFailed: (
            "All tries of a step failed. The format decides whether the debate can go on.",
            {
                "failed_key": "The step",
                "code": "What went wrong, for programs",
                "error": "What went wrong, in words",
                "attempts": "How many tries there were",
                "retry_in_s": "When another try may help, if the provider said so",
                "waited_s": "How long the provider was waited for",
                "of_provider": "Whether the provider failed, and not the participant",
            },
        ),
        e.StepRetried: ("A step that failed is tried again, alone.", {"failed_key": "The step"}),
        e.QuestionOpened: (
            "A person is asked something.",
            {
                "question_id": "The step that the answer will be the turn of",
                "participant": "Who is asked",
                "kind": "What is asked for",
                "stage": "The stage",
                "round": "The round",
                "text": "The question",
                "asker": "The participant who asks; empty if the debate itself does",
                "form": "The fields of the answer, if it is not free text",
                "may_pass": "Whether they may pass",
                "expires_at": "When they count as having passed",
            },
        ),
        e.QuestionClosed: (
            "A question is closed without an answer: the debate has moved on.",
            {"question_id": "The question"},
        ),
        e.NoticePosted: (
            "Something that people are told, and no model is.",
            {
                "code": "What it is, for programs",
                "text": "The same, in words",
                "participant": "Whom it is about",
                "about": "The step it is about",
            },
        ),
    },
    "What people do": {
        e.MessageSaid: (
            "A person spoke without being asked.",
            {"participant": WHO, "content": "What they said"},
        ),
        e.ParticipantJoined: (
            "Somebody joined a room.",
            {"participant": "The participant, with name, role and model"},
        ),
        e.ParticipantLeft: ("Somebody left a room.", {"participant": WHO}),
        e.ParticipantMuted: ("A member of a room was muted.", {"participant": WHO}),
        e.ParticipantUnmuted: ("A member of a room may speak again.", {"participant": WHO}),
        e.TurnIncluded: (
            "A turn goes into prompts from now on.",
            {"turn": "The `seq` of the turn"},
        ),
        e.TurnExcluded: (
            "A turn is left out of prompts from now on.",
            {"turn": "The `seq` of the turn"},
        ),
        e.PacingChanged: ("A room changed its pacing.", {"pacing": "The new pacing"}),
        e.SettingsChanged: ("Settings of a room changed.", {"settings": "The new values, by name"}),
        e.CardsOpened: ("A person who takes part chose to see what was hidden from them.", {}),
        e.DebateRenamed: (
            "The debate got a title. The only event that may follow the end.",
            {"title": "The title; empty if it was taken back"},
        ),
    },
}

WORDS = (StopReason, StepKind, Visibility, Finish, Pacing)


def reference() -> str:
    parts = [INTRODUCTION]
    for title, group in GROUPS.items():
        parts += [f"## {title}\n", *(_section(kind, *said) for kind, said in group.items())]
    return "\n".join([*parts, "## Words\n", *_words()])


def _section(kind: type[e.Event], about: str, fields: Fields) -> str:
    lines = [f"### {kind.__name__}\n", f"{about}\n"]
    if fields:
        lines += ["| field | type | meaning |", "|---|---|---|"]
        lines += [_row(field, fields[field.name]) for field in msgspec.structs.fields(kind)]
        lines.append("")
    return "\n".join(lines)


def _row(field: msgspec.structs.FieldInfo, about: str) -> str:
    return f"| `{field.name}` | {_type(field.type)} | {about} |"


NAMES: Mapping[Any, str] = {
    str: "text",
    int: "whole number",
    float: "number",
    bool: "true or false",
    type(None): "null",
}


def _type(found: Any) -> str:
    if found in NAMES:
        return NAMES[found]
    kinds = get_args(found)
    if type(None) in kinds:
        return " or ".join(_type(kind) for kind in kinds)
    origin = getattr(found, "__origin__", None)
    if origin is dict:
        return "object"
    if origin is tuple:
        return "list"
    return {
        "Config": "object",
        "Participant": "object",
        "Usage": "object",
        "Sampling": "object",
    }.get(found.__name__, f"`{found.__name__}`" if found in WORDS else "time")


def _words() -> Iterator[str]:
    for kind in WORDS:
        yield f"`{kind.__name__}` is one of {', '.join(f'`{one.value}`' for one in kind)}.\n"


if __name__ == "__main__":
    print(reference(), end="")
