"""What a panel's debate came to, as a reply: the answer with a short foot, or the questions that
somebody has to answer first. If it came to neither, that is a Refusal.

Beside the answer, both APIs tell how it was made and what it took: all calls, by model, or only
what the client has sent and is given.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import reduce
from operator import add
from typing import Any

import msgspec

from moot.api.v1.conversation import FOOT
from moot.api.v1.refusals import Refusal
from moot.api.v1.wanted import Wanted
from moot.asking import Report
from moot.definitions.values import Panel
from moot.models.messages import CHARACTERS_PER_TOKEN
from moot.protocol import certificate_words, events as e
from moot.protocol.answer_words import plural
from moot.protocol.outcome_words import trust
from moot.protocol.outcomes import Certificate
from moot.protocol.values import Usage
from moot.protocol.vocabulary import CAPS, REASONS, TRUST
from moot.protocol.words import USER, Status

EXPORTS: Mapping[str, str] = {"outcome": "answer", "transcript": "md"}
"""The export that is the answer, by what a panel calls it."""
_ONE = "Before the panel goes on, it needs an answer to this:\n\n{questions}"
_SEVERAL = (
    "Before the panel goes on, it needs answers to these questions. Number your answers, or write "
    "one text for all of them.\n\n{questions}"
)
_GONE: Mapping[Status, tuple[int, str, str]] = {
    Status.FAILED: (502, "debate_failed", "the debate failed: {why}; ask again to go on with it"),
    Status.STOPPED: (502, "debate_stopped", "somebody stopped the debate; ask again to go on"),
    Status.CANCELED: (502, "debate_canceled", "somebody called the debate off"),
}
LEAVING = "the server is leaving; ask again and the debate goes on"
RETRY_AFTER_S = 2

PIECE = 48
"""About how many characters of an answer make a piece: pieces end where a word does."""
_PIECE = re.compile(rf"(?s).{{1,{PIECE}}}\S*\s?|.+")


class Reply(msgspec.Struct, frozen=True, kw_only=True):
    """`finish` is OpenAI's word for how it ended. `task` is set if the request was not a question
    for the panel, and then there is no debate. `thoughts` is what was shown while it was made."""

    text: str
    finish: str
    usage: Usage
    by_model: Mapping[str, Usage]
    debate_id: str = ""
    status: Status | None = None
    url: str = ""
    task: str = ""
    thoughts: str = ""
    cost_usd: float | None = None
    certificate: Certificate | None = None

    @property
    def is_question(self) -> bool:
        """Whether the panel waits for an answer from whoever asked."""
        return self.status is Status.WAITING


def reply_to(
    wanted: Wanted, panel: Panel, report: Report, log: Sequence[e.Recorded], url: str
) -> Reply:
    """The reply. Raises Refusal if the debate has not come to one."""
    if report.status is Status.WAITING and report.questions:
        text, finish = questions_in(report.questions), "stop"
        told = "It waits for your answer"
    else:
        text, finish = _cut(wanted, answer_in(report))
        told = _standing(report)
        finish = "length" if is_capped(report) or report.is_cut else finish
    has_foot = wanted.has_foot and wanted.schema is None and text == answer_or_questions(report)
    foot = FOOT.format(panel=panel.name, told=_told(told, report, log, url)) if has_foot else ""
    models = by_model(log)
    usage = total(models)
    if panel.usage == "visible":
        usage = visible("\n".join(one.text for one in wanted.messages), text + foot)
    return Reply(
        text=text + foot,
        finish=finish,
        usage=usage,
        by_model=models,
        debate_id=report.debate_id,
        status=report.status,
        url=url,
        cost_usd=report.cost_usd,
        certificate=report.certificate,
    )


def is_capped(report: Report) -> bool:
    """Whether it ended because a limit of its panel was reached."""
    return report.status is Status.COMPLETED and report.stop_reason in CAPS


def unfinished(report: Report) -> str:
    """What is told of a debate that a limit ended before its outcome."""
    assert report.stop_reason is not None  # noqa: S101 - see `is_capped`
    return f"The panel came to no answer: {REASONS[report.stop_reason]}.\n\n{report.answer}"


def answer_or_questions(report: Report) -> str:
    is_asking = report.status is Status.WAITING and report.questions
    return questions_in(report.questions) if is_asking else report.answer


def answer_in(report: Report) -> str:
    """The whole answer. Raises Refusal if there is none."""
    if report.status is Status.COMPLETED and report.answer:
        return report.answer
    if report.status is Status.COMPLETED:
        detail = "the debate ended without an answer; the panel needs a judge or a moderator"
        raise Refusal(502, "no_answer", detail)
    if report.status not in _GONE:  # it runs, and nobody here can follow it any more
        headers = {"Retry-After": str(RETRY_AFTER_S)}
        raise Refusal(503, "leaving", LEAVING, headers=headers)
    status, code, detail = _GONE[report.status]
    raise Refusal(status, code, detail.format(why=report.failure))


def questions_in(questions: Sequence[e.QuestionOpened]) -> str:
    """The open questions as a reply, numbered if there are several."""
    if len(questions) == 1:
        return _ONE.format(questions=questions[0].text.strip())
    numbered = (f"{n}. {_inset(one.text)}" for n, one in enumerate(questions, 1))
    return _SEVERAL.format(questions="\n".join(numbered))


def _inset(text: str) -> str:
    return text.strip().replace("\n", "\n   ")


def _cut(wanted: Wanted, text: str) -> tuple[str, str]:
    """As much of the text as is wanted, and why it ends there. A schema needs all of it."""
    if wanted.schema is not None:
        return text, "stop"
    ends = [at for one in wanted.stop if (at := text.find(one)) >= 0]
    text = text[: min(ends)] if ends else text
    if wanted.max_tokens is not None and tokens_in(text) > wanted.max_tokens:
        return text[: wanted.max_tokens * int(CHARACTERS_PER_TOKEN)], "length"
    return text, "stop"


def _standing(report: Report) -> str:
    """How far it can be relied on, or why it ended, in a few words."""
    found = trust(report.outcome) if report.outcome else ""
    words = TRUST.get(found, "Completed")
    if report.certificate is not None:
        words = f"{certificate_words.TITLE}: {certificate_words.gist(report.certificate)}"
    if report.stop_reason in CAPS:
        return f"{words}; {REASONS[report.stop_reason]}"
    return words


def _told(standing: str, report: Report, log: Sequence[e.Recorded], url: str) -> str:
    calls = sum(1 for one in log if isinstance(one.event, e.TurnRecorded) and one.event.model)
    cost = "" if report.cost_usd is None else f", ${report.cost_usd:.4f}"
    cost = ", free" if report.cost_usd == 0 else cost
    link = f"[the debate]({url})" if url else f"debate {report.debate_id}"
    return f"{standing}. {plural(calls, 'call')}{cost}. {link}"


# --- what it took ---


def tokens_in(text: str) -> int:
    """About how many tokens that is; at least one if there is any text."""
    return -(-len(text) // int(CHARACTERS_PER_TOKEN))


def by_model(log: Sequence[e.Recorded]) -> dict[str, Usage]:
    """What each model took since the user last answered. What was used before that was told with
    the question that the user has answered."""
    found: dict[str, Usage] = {}
    for model, usage in _paid(log):
        found[model] = found.get(model, Usage()) + usage
    return found


def total(usage: Mapping[str, Usage]) -> Usage:
    return reduce(add, usage.values(), Usage())


def visible(asked: str, answered: str) -> Usage:
    """What a client can see of it, estimated: its request and the answer."""
    return Usage(
        input_tokens=tokens_in(asked), output_tokens=tokens_in(answered), is_estimated=True
    )


def _paid(log: Sequence[e.Recorded]) -> Iterator[tuple[str, Usage]]:
    for record in log[_since(log) :]:
        match record.event:
            case (
                e.TurnRecorded(model=model, usage=usage)
                | e.AttemptFailed(model=model, usage=usage)
                | e.ToolUsed(model=model, usage=usage)
            ) if usage != Usage():
                yield model or "unknown", usage
            case _:
                pass


def _since(log: Sequence[e.Recorded]) -> int:
    for place in reversed(range(len(log))):
        event = log[place].event
        if isinstance(event, e.TurnRecorded) and event.participant == USER:
            return place + 1
    return 0


# --- what both APIs tell of it ---


def pieces(text: str) -> Iterator[str]:
    """The text in pieces, which make up the whole text."""
    for found in _PIECE.finditer(text):
        yield found[0]


def moot_of(reply: Reply) -> dict[str, Any]:
    """Where the answer comes from. `certificate` is what a bench said about the debate, if one was
    asked."""
    return {
        "debate": reply.debate_id or None,
        "status": reply.status.value if reply.status else None,
        "url": reply.url or None,
        "task": reply.task or None,
        "certificate": _certificate(reply.certificate),
        "cost_usd": reply.cost_usd if reply.debate_id else reply.usage.cost_usd,
        "usage_by_model": _by_model(reply.by_model),
    }


def _certificate(told: Certificate | None) -> dict[str, Any] | None:
    if told is None:
        return None
    return {
        "status": told.status.value,
        "winner": told.winner,
        "headline": certificate_words.headline(told),
        "lines": [*certificate_words.lines(told), certificate_words.NOT_RIGHT],
        "votes": told.votes,
        "ballots": told.ballots,
    }


def _by_model(models: Mapping[str, Usage]) -> dict[str, Any]:
    return {
        model: {
            "input_tokens": one.input_tokens,
            "output_tokens": one.output_tokens,
            "reasoning_tokens": one.thought_tokens,
            "cached_tokens": one.cached_tokens,
            "cost_usd": one.cost_usd,
        }
        for model, one in models.items()
    }
