"""What a debate came to and nothing else, in Markdown: the answer to whoever asked the question.

It is given as it was written, as a model's own answer would be: nothing is quoted or escaped, and
whoever shows it on a page must treat it like any other text of a model. What was left out or is in
doubt stands in it: an answer must not sound surer than its debate was.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import assert_never

from moot.errors import Refused
from moot.export.document import Document
from moot.export.ending import Ending, ending
from moot.export.wording import one_line
from moot.protocol import outcome_words
from moot.protocol.outcomes import Certificate, ExamReport, Outcome, Solution, Summary, Verdict
from moot.protocol.visibility import Shown


def as_answer(shown: Shown, debate_id: str) -> str:
    """Raises Refused for a debate without an outcome, or whose outcome may not be shown yet."""
    document = Document(shown.state, debate_id)
    found, outcome = ending(document), shown.state.outcome
    if found is None or outcome is None:
        message = f"debate {debate_id} has no outcome to give as an answer; export it as md"
        raise Refused(message)
    doubts = (f"*{one_line(doubt)}*" for doubt in found.doubts)
    parts = [*_answer(found, outcome), *doubts, *_bench(found)]
    return "\n\n".join(filter(None, parts)) + "\n"


def _answer(found: Ending, outcome: Outcome) -> Iterator[str]:
    match outcome:
        case Verdict():
            yield _headline(found)
            yield found.ruling and f"{found.ruling}."
            yield found.text.strip()
        case Summary():
            yield found.text.strip()
        case Solution(asked=asked) if asked:
            yield found.text.strip()
            if not found.text.strip() or outcome.decision.get("points"):
                yield f"**{one_line(found.headline)}**"
            yield _bullets(outcome_words.counted(outcome))
            yield from _lists(outcome)
        case Solution():
            yield found.text.strip() or f"**{outcome_words.gist(outcome)}**"
            yield from _lists(outcome)
        case Certificate() | ExamReport():
            yield f"**{one_line(found.headline)}**"
            yield found.text
            yield _bullets(f"{name}: {told}" for name, told in found.facts)
        case _:
            assert_never(outcome)


def _bench(found: Ending) -> Iterator[str]:
    """What the debate's own bench came to."""
    headline, *lines = found.bench or ("",)
    if headline:
        yield f"**{one_line(headline)}**"
        yield "\n\n".join(lines)
        yield _bullets(f"{name}: {told}" for name, told in found.ballots)


def _headline(found: Ending) -> str:
    scores = ", ".join(f"{one.name} {one.value}" for one in found.scores)
    return f"**{found.headline}**" + (f" ({scores})" if scores else "")


def _lists(solution: Solution) -> Iterator[str]:
    for part, label in outcome_words.parts(solution).items():
        texts: tuple[str, ...] = getattr(solution, part)
        if texts:
            yield f"**{label}**\n\n{_bullets(texts)}"
    if solution.confidence is not None:
        yield f"Confidence: {solution.confidence:g} of 100."
    yield outcome_words.worth(solution)


def _bullets(texts: Iterable[str]) -> str:
    return "\n".join(f"- {one_line(text)}" for text in texts)
