"""`moot answer`: what is given on the command line, as the question's form has it. A form at the
terminal: every field is checked when it is typed, and nothing typed is lost.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import msgspec
import pytest
from click.testing import CliRunner, Result
from tests.unit.cli.test_asking import Typed
from tests.unit.engine.test_council_forms import ask, give, to_critiques, to_refinement
from tests.unit.protocol.playing import Play, duel, readable, rounds

from moot.cli.app import cli
from moot.cli.asking import Asker, unrepeated
from moot.cli.exit_codes import ExitCode
from moot.cli.options import Setup
from moot.cli.questions import checked, fill_in
from moot.engine.people import Given, asked
from moot.errors import InvalidInput
from moot.protocol.events import QuestionOpened
from moot.protocol.registry import FORMATS
from moot.protocol.steps import Step
from moot.protocol.values import Config
from moot.protocol.words import HUMAN, StepKind
from moot.testing.scripted import ScriptedModels

BALLOT = QuestionOpened(
    question_id="decision/1/ada/vote",
    participant="ada",
    kind=StepKind.VOTE,
    stage="decision",
    round=1,
    text="Rank them.",
    form={
        "fields": [
            {"name": "ranking", "label": "Letters", "kind": "list", "required": True},
            {"name": "reasons", "label": "Reasons", "kind": "long_text", "required": False},
        ]
    },
)
POLL = """
topic: Is it so?
format: poll
settings: {answer_type: yes_no}
participants: [{name: Ada, role: member, model: human}]
"""


@pytest.mark.parametrize(
    ("fields", "filled"),
    [
        (["ranking=B", "ranking=A"], {"ranking": ["B", "A"]}),
        (["ranking=B, A", "reasons=x=y"], {"ranking": "B, A", "reasons": "x=y"}),
    ],
)
def test_a_field_that_is_a_list_can_be_given_several_times(
    fields: list[str], filled: dict[str, object]
) -> None:
    assert checked(BALLOT, None, passes=False, fields=fields) == filled


def test_it_says_that_the_debate_is_over(tmp_path: Path) -> None:
    def typed(*args: str, code: int = 0) -> Result:
        setup = Setup(home=str(tmp_path / "home"), models=ScriptedModels())
        done = CliRunner().invoke(cli, args, obj=setup)
        assert done.exit_code == code, done.output
        return done

    file = tmp_path / "poll.yaml"
    file.write_text(POLL)
    typed("run", str(file), code=ExitCode.WAITING)
    debate = json.loads(typed("list", "--json").stdout)["id"]
    told = typed("answer", debate, "perhaps", code=ExitCode.USAGE).stderr
    assert "answer must be one of yes, no" in told
    typed("answer", debate, "yes")
    typed("resume", debate)
    assert "the debate is over" in typed("answer", debate, "3", code=ExitCode.USAGE).stderr


def to_verdict(config: Config) -> tuple[Play, QuestionOpened]:
    """A debate before a person, as far as the verdict, and what the person is asked then."""
    *others, judge = config.participants
    seated = (*others, msgspec.structs.replace(judge, model=HUMAN))
    played = Play(FORMATS[config.format], msgspec.structs.replace(config, participants=seated))
    while not _names_winner(step := played.ready()[0]):
        played.perform(step, readable(step))
    question = asked(played.state, step, played.now)
    played.append(question)
    return played, question


def _names_winner(step: Step) -> bool:
    return any(one["name"] == "winner" for one in (step.answer.form or {}).get("fields", ()))


async def test_a_broken_score_is_refused_where_it_is_typed() -> None:
    _, question = to_verdict(duel(turns=1))
    assert question.form is not None
    said: list[str] = []
    typed = Typed("1", "4.5", "4", "3", "Ada had figures.", "")
    values = await fill_in(question.form, typed, said.append)
    wanted = "please try again: Score of Ada must be a whole number from 0 to 10"
    assert [one for one in said if one.startswith("please")] == [wanted]
    assert values == {"winner": "Ada", "score_1": 4, "score_2": 3, "reasoning": "Ada had figures."}


async def test_where_broken_scores_may_be_given_nothing_is_refused() -> None:
    _, question = to_verdict(rounds(max_rounds=1))
    assert question.form is not None
    said: list[str] = []
    typed = Typed("4.5", "3", "3", "Even.", "", "no")
    values = await fill_in(question.form, typed, said.append)
    assert isinstance(values, dict)
    assert (values["score_a"], values["winner"]) == (4.5, "tie")
    assert not [one for one in said if one.startswith("please")]


class Strict:
    """A service that refuses the first answer as a whole, whatever it says."""

    def __init__(self) -> None:
        self.given: list[Given] = []

    async def answer(self, debate_id: str, question_id: str, given: Given) -> None:
        del debate_id, question_id
        self.given.append(given)
        if len(self.given) == 1:
            raise InvalidInput("not on a Monday", field="answer")


async def test_what_was_typed_is_kept_if_the_whole_is_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    played, question = to_verdict(duel(turns=1))
    service, said = Strict(), list[str]()
    printer = SimpleNamespace(
        note=said.append, print=lambda _: None, quote=lambda _: None, blank=lambda: None
    )
    view = SimpleNamespace(printer=printer, state=played.state, question=question, began_at=0)
    asker = Asker(cast("Any", service), "d1", cast("Any", view), lambda: None)
    typed = Typed("1", "4", "3", "Ada had figures.", "", "", "5", "", "")
    monkeypatch.setattr(asker, "_prompt", typed)
    monkeypatch.setattr(asker, "_heading", lambda _: "")
    assert await asker._ask(question)
    first, second = service.given
    assert isinstance(first, dict)
    assert second == {**first, "score_1": 5}
    assert "please try again: not on a Monday; what you typed is kept" in said
    assert "Enter keeps what you typed: Ada had figures." in said


async def test_what_is_kept_can_be_emptied_where_nothing_is_needed() -> None:
    fields: list[Any] = [
        {"name": "why", "label": "Why", "kind": "text", "required": True},
        {"name": "more", "label": "More", "kind": "text", "required": False},
    ]
    said: list[str] = []
    before = {"why": "So.", "more": "And so."}
    values = await fill_in({"fields": fields}, Typed("", "-"), said.append, before=before)
    assert values == {"why": "So."}
    assert "Enter keeps what you typed; - clears it: And so." in said


@pytest.mark.parametrize("at", [to_critiques, to_refinement])
async def test_nothing_is_refused_that_the_server_takes(at: Callable[[], Any]) -> None:
    played, found = at()
    question = found if isinstance(found, QuestionOpened) else ask(played, found[0])
    assert question.form is not None
    said: list[str] = []
    kinds = [one["kind"] for one in question.form["fields"] if not one.get("aside")]
    typed = [["55"] if kind == "number" else ["It is too dear.", ""] for kind in kinds]
    values = await fill_in(
        question.form,
        Typed(*(line for lines in typed for line in lines)),
        said.append,
    )
    assert isinstance(values, dict)
    assert len(said) == len(kinds)
    assert give(played, question, values)


def test_words_that_stand_right_above_are_not_repeated() -> None:
    config = duel(turns=2)
    ada, bo, judge = config.participants
    seated = (ada, msgspec.structs.replace(bo, model=HUMAN), judge)
    played = Play(FORMATS["duel"], msgspec.structs.replace(config, participants=seated))

    def is_asked(step: Step) -> bool:
        return step.participant == bo.id and step.kind is StepKind.SPEAK

    while not any(map(is_asked, steps := played.ready())):
        step = steps[0]
        is_speech = step.kind is StepKind.SPEAK
        played.perform(step, "Tea is\nbetter." if is_speech else readable(step))
    question = asked(played.state, next(filter(is_asked, steps)), played.now)
    assert f"{ada.label} just said:\n\n  Tea is\n  better.\n\n" in question.text
    short = unrepeated(question, played.state, 0)
    assert "just said" not in short
    assert "Tea is" not in short
    assert short.startswith(question.text.partition(f"\n\n{ada.label} just said")[0])
    assert short.endswith(question.text.rpartition("better.\n\n")[2])
    # Of what was said before somebody came back nothing stands there.
    assert unrepeated(question, played.state, played.state.seq) == question.text
