"""`moot answer`: what is given on the command line, as the question's form has it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from moot.cli.app import cli
from moot.cli.exit_codes import ExitCode
from moot.cli.questions import checked
from moot.cli.setup import Setup
from moot.protocol.events import QuestionOpened
from moot.protocol.words import StepKind
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
