"""What a panel's debate came to, as a reply: the answer with a short foot, or the questions that
somebody has to answer first. If it came to neither, that is a Refusal.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec

from moot.api.v1.conversation import FOOT
from moot.api.v1.refusals import Refusal
from moot.api.v1.usage import by_model, tokens_in, total, visible
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
from moot.protocol.words import Status

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
