"""What a door to debates can do, wherever it does it: here, or at a server.

What its calls return is how a debate stands, as fields and once more as text.

`next` says in words what to call, because whoever reads it is a model that knows nothing of Moot.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, Protocol

import msgspec

from moot.asking import Report
from moot.export.wording import one_line
from moot.protocol import certificate_words
from moot.protocol.events import QuestionOpened
from moot.protocol.outcomes import Certificate
from moot.protocol.row import DebateRow
from moot.protocol.words import Status
from moot.structs import ready, stamp

Tell = Callable[[float, float, str], Awaitable[None]]
"""Takes how many steps are done, of how many, and what is going on."""

URI = "moot://debates/{id}"
CERTIFICATE = "/certificate"
"""Put behind the address of a debate, it makes the address of what a bench said about it."""


async def untold(_done: float, _of: float, _now: str) -> None:
    """Tells nobody: for calls whose progress interests nobody."""


class Caller(msgspec.Struct, frozen=True, kw_only=True):
    """Who called: the host's name, as it gives it, and how it is told of progress."""

    client: str = ""
    tell: Tell = untold


class Door(Protocol):
    """Every call returns within the seconds that it was given, and can be cancelled at any time:
    that ends the waiting and never a debate."""

    async def call(
        self, tool: str, arguments: Mapping[str, Any], caller: Caller
    ) -> Answer | Listing:
        """What that tool returns. Raises MootError with what the caller can do about it."""
        ...

    async def read(self, debate_id: str) -> str:
        """All of a debate that may be shown, in Markdown. Raises NotFound."""
        ...

    async def certificate(self, debate_id: str) -> str:
        """What a bench said about the debate, in Markdown. Raises NotFound if none was asked."""
        ...


class Progress(msgspec.Struct, frozen=True, kw_only=True):
    """`done` of at most `of` steps, and what is going on."""

    done: int
    of: int
    now: str


class Asked(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A question that a person has to answer. `form` has the fields, if it has any."""

    id: str
    text: str
    form: Mapping[str, Any] | None = None
    may_pass: bool = True

    def whole(self) -> str:
        """The question and the fields of its form as text, for whoever reads only text."""
        fields = [f"{one['name']} ({one['label']})" for one in (self.form or {}).get("fields", ())]
        told = [f"Question {self.id}:", self.text]
        return "\n".join([*told, *([f"Fields: {', '.join(fields)}"] if fields else [])])


class Answer(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """How a debate stands. `result` is what it came to, in Markdown; `failure` is why it failed."""

    debate: str
    status: Status
    progress: Progress
    result: str = ""
    failure: str = ""
    questions: tuple[Asked, ...] = ()
    next: str

    def text(self) -> str:
        """All of it as text, for whoever reads no fields."""
        told = f"Debate {self.debate}: {self.status}, {self.progress.done} of {self.progress.of}"
        now = f" ({self.progress.now})" if self.status is Status.RUNNING else ""
        parts = [f"{told} steps{now}", self.failure, self.result]
        parts += [one.whole() for one in self.questions]
        return "\n\n".join([*filter(None, parts), f"Next: {self.next}"])


class Listed(msgspec.Struct, frozen=True, kw_only=True):
    """A debate in a list."""

    debate: str
    topic: str
    status: Status
    format: str
    created_at: str


class Listing(msgspec.Struct, frozen=True, kw_only=True):
    debates: tuple[Listed, ...]
    next: str

    def text(self) -> str:
        rows = [f"{one.debate}  {one.status}  {one.topic}" for one in self.debates]
        return "\n".join(
            [*(rows or ["There are none."]), *(["", f"Next: {self.next}"] if rows else [])]
        )


ready(Answer, Listing)

NEXT: Mapping[Status, str] = {
    Status.CREATED: "It is not started. Start it on Moot's page, or with `moot start {id}`.",
    Status.RUNNING: 'It goes on by itself. Call status with debate "{id}" to wait for its result.',
    Status.STOPPING: 'It is about to stop. Call status with debate "{id}" to go on with it.',
    Status.STOPPED: "It is stopped, nothing is lost, and nothing more is spent. "
    'Call status with debate "{id}" to go on with it.',
    Status.WAITING: "Ask the user these questions. Then call answer with debate "
    '"{id}" and what they say, by question id.',
    Status.FAILED: 'Mend that, then call status with debate "{id}" to go on where it failed.',
    Status.COMPLETED: "It is over. Nothing more has to be called; {uri} has all that was said.",
    Status.CANCELED: "It was called off and has no result. To begin anew, ask again.",
}
WAITS = "It waits for a person who takes part in it. Answer on Moot's page."
LISTED = "Call status with the id of a debate to get its result, or to go on with it."


def answer_of(report: Report) -> Answer:
    """What a call returns for a debate that stands like this."""
    questions = tuple(map(_asked, report.questions)) if report.status is Status.WAITING else ()
    is_stuck = report.status is Status.WAITING and not questions
    told = WAITS if is_stuck else NEXT[report.status]
    return Answer(
        debate=report.debate_id,
        status=report.status,
        progress=Progress(done=report.done, of=report.of, now=report.now),
        result=report.answer,
        failure=f"It failed: {report.failure}" if report.failure else "",
        questions=questions,
        next=told.format(id=report.debate_id, uri=URI.format(id=report.debate_id)),
    )


def _asked(question: QuestionOpened) -> Asked:
    return Asked(
        id=question.question_id,
        text=question.text,
        form=question.form,
        may_pass=question.may_pass,
    )


def certificate_text(told: Certificate, right: str) -> str:
    """What a bench came to, in Markdown."""
    head, *rows = (tuple(map(one_line, row)) for row in certificate_words.table(told))
    table = ["| " + " | ".join(row) + " |" for row in (head, ("---",) * len(head), *rows)]
    lines = (f"- {one_line(one)}" for one in (*certificate_words.lines(told), f"Right? {right}."))
    return "\n".join(
        [f"**{one_line(certificate_words.headline(told))}**", "", *table, "", *lines, ""]
    )


def listing_of(rows: Sequence[DebateRow]) -> Listing:
    """What `list_debates` returns."""
    found = (
        Listed(
            debate=row.id,
            topic=row.title or row.topic,
            status=row.status,
            format=row.format,
            created_at=stamp(row.created_at),
        )
        for row in rows
    )
    return Listing(debates=tuple(found), next=LISTED)
