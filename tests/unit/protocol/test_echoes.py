"""An answer that repeats the example of its prompt is no answer, in any format and stage."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from tests.unit.prompts.test_prompts import shipped

from moot.prompts import example, template
from moot.protocol.echoes import is_echo, sentences

ASKING = [name for name in shipped() if "JSON object" in template(name)]
WITH_SENTENCES = [name for name in ASKING if not name.startswith("duel/record")]


def copied(name: str) -> dict[str, Any]:
    """The example as a model sends it back that is held to the schema: figures where figures go."""
    line = next(one for one in template(name).split("\n") if one.startswith('{"'))
    line = re.sub(r"<\d+ to \d+>", "50", line).replace("<true or false>", "false")
    found: dict[str, Any] = json.loads(line)
    return found


@pytest.mark.parametrize("name", WITH_SENTENCES)
def test_the_example_of_every_prompt_is_known_however_it_is_dressed(name: str) -> None:
    known = example(name)
    whole = copied(name)
    for text in (
        json.dumps(whole),
        f"Here it is:\n```json\n{json.dumps(whole, indent=2)}\n```",
        json.dumps(whole).replace("<", "").replace(">", "").upper().replace("FALSE", "false"),
        json.dumps(whole)[:-1],
    ):
        assert is_echo(text, known), text


@pytest.mark.parametrize("name", WITH_SENTENCES)
def test_an_answer_in_other_words_is_none(name: str) -> None:
    own = json.dumps(copied(name))
    for sentence in sorted(re.findall(r'"([^"]* [^"]*)"(?!\s*:)', own), key=len, reverse=True):
        own = own.replace(
            json.dumps(sentence), '"It held, since nobody answered the second point."'
        )
    assert not is_echo(own, example(name)), own
    assert not is_echo("It held.", example(name))


def test_one_sentence_of_the_example_is_enough() -> None:
    known = sentences('As in:\n{"score": 7, "reasoning": "One sentence explaining the score."}')
    assert is_echo('{"score": 3, "reasoning": "one sentence explaining the score"}', known)
    assert not is_echo('{"score": 7, "reasoning": "One sentence explaining the law."}', known)
    assert is_echo("One sentence explaining the score.", known)


def test_names_choices_and_slots_are_no_sentences() -> None:
    assert sentences('{"winner": "{a}", "scores": {"{a}": 8}, "side": "pro"}') == frozenset()
    assert sentences("Nothing is shown {here}.") == frozenset()


@pytest.mark.parametrize("name", [one for one in ASKING if not one.startswith("duel/")])
def test_our_own_prompts_show_nothing_that_could_be_taken_for_an_answer(name: str) -> None:
    """The seed's show figures and names; ours say what to put there."""
    line = next(one for one in template(name).split("\n") if one.startswith('{"'))
    outside = re.sub(r'"[^"]*"\s*:', "", line)
    outside = re.sub(r'"<[^<>"]*>"|<[^<>"]*>', "", outside)
    assert not re.search(r"[A-Za-z0-9]", outside), outside
