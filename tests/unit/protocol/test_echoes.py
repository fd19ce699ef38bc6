"""An answer that repeats the example of its prompt is no answer, in any format and stage."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from tests.unit.prompts.test_prompts import shipped

from moot.prompts import example, template
from moot.protocol.echoes import is_babble, is_echo, repeats, sentences

# What is asked of no participant has no words of ours for its fields: they are a client's.
ASKING = [name for name in shipped() if "/" in name and "JSON object" in template(name)]
WITH_SENTENCES = [name for name in ASKING if not name.startswith("duel/record")]


def copied(name: str) -> dict[str, Any]:
    """What the prompt says of its fields as a model sends it back that is held to the schema."""
    for line in template(name).split("\n"):
        if line.startswith('{"'):
            found: dict[str, Any] = json.loads(line)
            return found
    described = re.findall(r'^- "(\w+)": (.+)$', template(name), re.MULTILINE)
    return {field: _as_typed(about) for field, about in described}


def _as_typed(about: str) -> Any:
    if about.startswith("a number"):
        return 50
    return [about] if about.startswith("a list") else about


@pytest.mark.parametrize("name", WITH_SENTENCES)
def test_the_words_of_every_prompt_are_known_however_they_are_dressed(name: str) -> None:
    known = example(name)
    whole = copied(name)
    for text in (
        json.dumps(whole),
        f"Here it is:\n```json\n{json.dumps(whole, indent=2)}\n```",
        json.dumps(whole).upper(),
        json.dumps(whole)[:-1],
    ):
        assert is_echo(text, known), text


@pytest.mark.parametrize("name", WITH_SENTENCES)
def test_an_answer_in_other_words_is_none(name: str) -> None:
    own = "It held, since nobody answered the second point."
    answer = {
        field: own if isinstance(value, str) else [own] if isinstance(value, list) else value
        for field, value in copied(name).items()
    }
    assert not is_echo(json.dumps(answer), example(name))
    assert not is_echo("It held.", example(name))


def test_one_sentence_of_the_example_is_enough() -> None:
    known = sentences('As in:\n{"score": 7, "reasoning": "One sentence explaining the score."}')
    assert is_echo('{"score": 3, "reasoning": "one sentence explaining the score"}', known)
    assert not is_echo('{"score": 7, "reasoning": "One sentence explaining the law."}', known)
    assert is_echo("One sentence explaining the score.", known)


@pytest.mark.parametrize(
    ("said", "is_shown"),
    [
        ("One sentence explaining", True),
        ("<one sentence expl", True),
        ("One sentence", False),
        ("One sentence exceeds it", False),
        ("One sentence explaining the score and more", False),
    ],
)
def test_a_sentence_that_was_cut_off_is_known(said: str, is_shown: bool) -> None:
    known = sentences('{"reasoning": "One sentence explaining the score."}')
    assert is_echo(json.dumps({"score": 3, "reasoning": said}), known) is is_shown


def test_a_blank_left_in_a_list_is_no_echo_beside_other_words() -> None:
    known = sentences('- "strengths": a list of texts\n- "weaknesses": a list of texts')
    assert is_echo('{"strengths": ["A list of texts"], "weaknesses": [], "rating": 50}', known)
    assert is_echo('{"strengths": ["a list of texts"], "weaknesses": ["..."]}', known)
    assert not is_echo('{"strengths": ["It is short."], "weaknesses": ["a list of texts"]}', known)
    assert not is_echo('{"strengths": [], "weaknesses": []}', known)


def test_names_choices_and_slots_are_no_sentences() -> None:
    assert sentences('{"winner": "{a}", "scores": {"{a}": 8}, "side": "pro"}') == frozenset()
    assert sentences("Nothing is shown {here}.") == frozenset()


@pytest.mark.parametrize("name", [one for one in ASKING if not one.startswith("duel/")])
def test_our_own_prompts_show_no_example(name: str) -> None:
    """The seed's have figures and names in them; ours say in words what to put there."""
    assert '{"' not in template(name)
    assert re.search(r'^- "\w+": ', template(name), re.MULTILINE)


def test_the_same_few_words_over_and_over_are_no_reason() -> None:
    assert is_babble('{"summary": "DebiA: ' + "DebiB: " * 60 + '", "winner": "debater_a"}')
    assert is_babble("so it is " * 30)
    assert not is_babble("so it is " * 5)
    rhetoric = "No tax, no law, no king, no church, no custom and no neighbour may take it from us."
    assert not is_babble(f"{rhetoric} {rhetoric} {rhetoric}")


def test_what_stands_in_the_prompt_word_for_word_is_repeated() -> None:
    prompt = "Give your opening statement, Ada. Say in one sentence what you will show."
    assert repeats(
        "Give your opening statement, Ada. Say in one sentence what you will show.", prompt
    )
    assert repeats("Give your opening statement, Ada.\nSay in one sentence what you", prompt)
    assert not repeats("Give your opening", prompt)
    assert not repeats("Give your opening statement, Ada. Very well: cars are loud.", prompt)
