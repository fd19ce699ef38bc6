"""`moot answer`: what a debate asks people, and what they answer."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from moot.cli.setup import Setup, pass_setup

if TYPE_CHECKING:
    from moot.cli.carrying_out import Told
    from moot.wiring import System


@click.command()
@click.argument("debate_id", metavar="ID")
@click.argument("question", required=False)
@click.argument("text", required=False)
@click.option("--json", "as_json", is_flag=True, help="Print questions, or the summary, as JSON.")
@pass_setup
def answer(
    setup: Setup, /, debate_id: str, question: str | None, text: str | None, as_json: bool
) -> None:
    """Answer what a debate asks a person.

    Without a QUESTION, the open ones are listed. Without a TEXT, or with `-`, it is read from
    standard input up to its end, so an answer may have many lines. The debate goes on with the
    answer wherever it is running; where it is not, `moot resume` goes on with it.
    A question's id may be cut short while it is unique. While only one question is open, its id may
    be left out: what is not an id is the answer.

    \b
    Examples:
      moot answer k3f2
      moot answer k3f2 "Streets are for people."
      moot answer k3f2 exchange/1/ada/speak "Streets are for people."
      moot answer k3f2 exchange/1/ada/speak < speech.txt
      moot answer k3f2 exchange/1/jo/score "7, because it had evidence"
    """
    if question is None:
        setup.run(lambda system: _list(system, debate_id, as_json))
        return
    wanted = question
    if text is None:
        wanted, text = setup.run(lambda system: _told_apart(system, debate_id, question))

    async def give(system: System, text: str) -> Told:
        from moot.cli.questions import give_answer

        return await give_answer(system, debate_id, wanted, text)

    from moot.cli.carrying_out import print_summary

    given = _from_stdin(setup, debate_id, wanted) if text in (None, "-") else text or ""
    print_summary(*setup.run(lambda system: give(system, given)), as_json)


async def _list(system: System, prefix: str, as_json: bool) -> None:
    from moot.cli.questions import print_questions

    debate_id = await system.service.find(prefix)
    print_questions(debate_id, await system.service.state(debate_id), as_json=as_json)


async def _told_apart(system: System, prefix: str, given: str) -> tuple[str, str | None]:
    """The question, and the answer if it is that which was given."""
    from moot.cli.questions import only_question

    only = only_question(await system.service.state(await system.service.find(prefix)), given)
    return (given, None) if only is None else (only.question_id, given)


def _from_stdin(setup: Setup, debate_id: str, question: str) -> str:
    """All of it. A person at a terminal is shown what is asked, and told how to end."""
    from moot.cli.questions import open_question

    if sys.stdin.isatty():

        async def show(system: System) -> None:
            found = await system.service.find(debate_id)
            asked = open_question(await system.service.state(found), question)
            print(asked.text, file=sys.stderr)

        setup.run(show)
        print("\nend with Ctrl-D on an empty line", file=sys.stderr)
    return sys.stdin.read()
