"""The open questions of a debate: found, listed, answered."""

from __future__ import annotations

from moot.cli.asking import HINTS, shaped
from moot.cli.carrying_out import Told, told
from moot.cli.session import new_console
from moot.cli.view.json_lines import as_line, whole
from moot.cli.view.paper import Paper
from moot.cli.view.words import clean, one_line
from moot.errors import InvalidInput, NotFound, Refused
from moot.protocol.events import QuestionOpened
from moot.protocol.state import DebateState
from moot.wiring import System


async def give_answer(system: System, prefix: str, question: str, text: str) -> Told:
    """Raises NotFound, Refused or InvalidInput, having changed nothing."""
    debate_id = await system.service.find(prefix)
    asked = open_question(await system.service.state(debate_id), question)
    given = shaped(asked, text.strip())
    return await told(system, await system.service.answer(debate_id, asked.question_id, given))


def open_question(state: DebateState, wanted: str) -> QuestionOpened:
    """The one whose id is, or begins with, `wanted`."""
    if wanted in state.questions:
        return state.questions[wanted]
    found = [one for key, one in state.questions.items() if wanted and key.startswith(wanted)]
    if len(found) == 1:
        return found[0]
    if found:
        keys = ", ".join(one.question_id for one in found)
        message = f"{wanted!r} could be {keys}"
        raise InvalidInput(message, field="question")
    if wanted in state.turns:
        message = f"{wanted!r} has been answered already; nothing was changed"
        raise Refused(message)
    open_ones = ", ".join(state.questions) or "none"
    message = f"there is no open question {one_line(wanted)!r}; open now: {open_ones}"
    raise NotFound(message)


def only_question(state: DebateState, given: str) -> QuestionOpened | None:
    """The only open one, if `given` can be nothing but its answer.

    What looks like an id and is not is a mistake, or was answered already: it is never an answer.
    """
    looks_like_an_id = "/" in given and not any(letter.isspace() for letter in given)
    if len(state.questions) != 1 or not given.strip() or looks_like_an_id:
        return None
    (only,) = state.questions.values()
    return None if only.question_id.startswith(given) else only


def print_questions(debate_id: str, state: DebateState, *, as_json: bool) -> None:
    if as_json:
        for question in state.questions.values():
            print(as_line(whole(question)))
        return
    paper = Paper(new_console(), state)
    if not state.questions:
        paper.say(f"{debate_id} is {state.status} and asks nobody anything")
    for question in state.questions.values():
        name = paper.people.name(question.participant)
        paper.say(f"{name} is asked ({question.question_id}):")
        paper.quote(clean(question.text))
        if question.kind in HINTS:
            paper.note(HINTS[question.kind])
        paper.blank()
        print(f"moot answer {debate_id} {question.question_id} TEXT")
        paper.blank()
