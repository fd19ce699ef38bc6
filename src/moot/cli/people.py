"""`moot answer`, `moot say` and `moot reveal`: what people do in a debate."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import click

from moot.cli.options import Setup, debate_id as by_id, pass_setup, summarizing
from moot.cli.telling import tell
from moot.errors import InvalidInput, Refused

if TYPE_CHECKING:
    from moot.cli.advice import Told
    from moot.cli.questions import Found
    from moot.engine.people import Given
    from moot.protocol.events import QuestionOpened
    from moot.protocol.forms import Form
    from moot.wiring import System


@click.command()
@by_id
@click.argument("question", required=False)
@click.argument("text", required=False)
@click.option(
    "--pass", "passes", is_flag=True, help="Give no answer; the debate goes on without one."
)
@click.option(
    "--field",
    "fields",
    multiple=True,
    metavar="NAME=VALUE",
    help="Fill in a field of the question's form; can be repeated, also for a field that is a "
    "list.",
)
@click.option("--json", "as_json", is_flag=True, help="Print questions, or the summary, as JSON.")
@pass_setup
def answer(  # noqa: PLR0913, PLR0917 - what can be given, by click
    setup: Setup,
    /,
    debate_id: str,
    question: str | None,
    text: str | None,
    passes: bool,
    fields: Sequence[str],
    as_json: bool,
) -> None:
    """Answer a question that a debate asks you.

    Without QUESTION, moot lists the open questions; at a terminal, if there is only one, it asks
    you that one. A question with a form is asked field by field, or you can fill it in with
    --field; if only one field must be filled in, TEXT is for that one. Without TEXT, or with `-`,
    the answer is read from standard input, so it can have many lines.

    A running debate continues with your answer by itself; otherwise continue it with `moot
    resume`. You can shorten a question's id as long as it stays unique. If only one question is
    open, you can leave out its id: anything that is not an id is taken as the answer.

    \b
    Examples:
      moot answer k3f2
      moot answer k3f2 "Streets are for people."
      moot answer k3f2 exchange/1/ada/speak "Streets are for people."
      moot answer k3f2 exchange/1/ada/speak < speech.txt
      moot answer k3f2 --field score=7 --field reasoning="It had evidence."
      moot answer k3f2 exchange/1/jo/score/ada "7, because it had evidence"
      moot answer k3f2 --pass
    """
    if question is None and not passes and not fields and not _may_be_asked():
        setup.run(lambda system: _list(system, debate_id, as_json))
        return
    from moot.cli.questions import checked, resolve

    found = setup.run(lambda system: resolve(system, debate_id, question, text))
    if found.question is None:
        setup.run(lambda system: _list(system, debate_id, as_json))
        if passes or fields:  # an answer was meant, but none was given
            raise Refused("nothing was answered: say which question you mean, if one is open")
        return
    given = checked(found.question, found.text, passes=passes, fields=fields)

    from moot.cli.advice import print_summary

    told = _asked_and_given(setup, found) if given is None else _given(setup, found, given)
    print_summary(*told, as_json)


def _given(setup: Setup, found: Found, given: Given) -> Told:
    async def give(system: System) -> Told:
        from moot.cli.questions import give_answer

        return await give_answer(system, found, given)

    return setup.run(give)


def _asked_and_given(setup: Setup, found: Found) -> Told:
    """Ask for the answer, or read it from standard input, and give it. If a form is refused, what
    was typed into it is kept."""
    from moot.cli.questions import is_speech, will_not_do
    from moot.cli.view.console import clean

    question = found.question
    assert question is not None  # noqa: S101 - nobody is asked otherwise
    if question.form is None or is_speech(question) or not sys.stdin.isatty():
        return _given(setup, found, _asked(question))
    _say(clean(question.text))
    _say("Ctrl-D leaves it for later; /pass gives no answer")
    filled: Given | None = None
    while True:
        filled = _filled(question.form, filled)
        try:
            return _given(setup, found, filled)
        except InvalidInput as error:
            _say(will_not_do(error, filled))


async def _list(system: System, prefix: str, as_json: bool) -> None:
    from moot.cli.questions import print_questions

    debate_id = await system.service.find(prefix)
    print_questions(debate_id, await system.service.state(debate_id), as_json=as_json)


def _may_be_asked() -> bool:
    return sys.stdin.isatty() and sys.stdout.isatty()


def _asked(question: QuestionOpened) -> Given:
    """The answer as typed, or as read from standard input. A person is shown the question, and how
    to end the answer."""
    from moot.cli.questions import not_blank
    from moot.cli.view.console import clean

    if not sys.stdin.isatty():
        return not_blank(sys.stdin.read())
    import asyncio

    from moot.cli.lines import Prompt, everything

    _say(clean(question.text))
    _say("\nend your answer with Ctrl-D on an empty line")
    return not_blank(asyncio.run(everything(Prompt())))


def _filled(form: Form, before: Given | None) -> Given:
    import asyncio

    from moot.cli.lines import Prompt
    from moot.cli.questions import fill_in

    kept = before if isinstance(before, Mapping) else None
    given = asyncio.run(fill_in(form, Prompt(), _say, before=kept))
    if given is None:
        raise click.Abort
    return given


def _say(text: str) -> None:
    tell(text, label="")


@click.command()
@by_id
@click.argument("text", required=False)
@click.option("--as", "participant", metavar="WHO", help="Speak as a person who takes part, by id.")
@summarizing
@pass_setup
def say(
    setup: Setup, /, debate_id: str, text: str | None, participant: str | None, as_json: bool
) -> None:
    """Say something in a debate.

    Your words go into the transcript, and the next speakers read them. Only rooms and standard
    debates allow this. Without TEXT, or with `-`, the text is read from standard input.

    \b
    Examples:
      moot say k3f2 "And who pays for it?"
      moot say k3f2 "@Ada what about tests?"
      moot say k3f2 < question.txt
    """
    content = sys.stdin.read() if text in (None, "-") else text or ""

    async def speak(system: System) -> Told:
        from moot.cli.advice import told
        from moot.protocol.words import USER

        found = await system.service.find(debate_id)
        done = await system.service.say(found, content, participant=participant or USER)
        return await told(system, done)

    from moot.cli.advice import print_summary

    print_summary(*setup.run(speak), as_json)


@click.command()
@by_id
@click.option("--yes", "-y", "is_sure", is_flag=True, help="Do not ask for confirmation.")
@summarizing
@pass_setup
def reveal(setup: Setup, /, debate_id: str, is_sure: bool, as_json: bool) -> None:
    """See what is hidden from you while you take part.

    While a person takes part, moot hides what the others plan and think, how the judge scores, and
    what others write before everyone has answered. All of it is shown once the debate is over.
    This command shows it now, which is called playing with open cards. It is recorded, cannot be
    undone, and the result mentions it. At a terminal you are asked first.

    \b
    Examples:
      moot reveal k3f2
      moot reveal k3f2 --yes
    """
    from moot.cli.advice import print_summary

    found = setup.run(lambda system: system.service.find(debate_id))
    if not is_sure:
        _confirm_reveal(found)

    async def open_cards(system: System) -> Told:
        from moot.cli.advice import told

        return await told(system, await system.service.reveal(found))

    print_summary(*setup.run(open_cards), as_json)


def _confirm_reveal(debate_id: str) -> None:
    """Ask whether to open the cards. Raises Refused if not, or if nobody can be asked."""
    from moot.cli.lines import confirm
    from moot.protocol.vocabulary import REVEALS

    _say(REVEALS)
    if not sys.stdin.isatty():
        message = (
            f"nothing was shown, because nobody can be asked here: moot reveal {debate_id} --yes"
        )
        raise Refused(message)
    if not confirm("Open the cards?"):
        raise Refused("nothing was shown")
