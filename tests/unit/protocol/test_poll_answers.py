"""What is read as an answer of a poll, what is not, and which answers are the same."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, strategies as st

from moot import prompts
from moot.protocol.answers import OnUnreadable, Unreadable
from moot.protocol.echoes import is_echo
from moot.protocol.formats.poll.answers import ShortAnswer, measured, plain
from moot.protocol.formats.poll.counting import Given, grouped
from moot.protocol.forms import filled_in

TYPES = {
    "text": ShortAnswer(type="text"),
    "number": ShortAnswer(type="number"),
    "yes_no": ShortAnswer(type="yes_no"),
    "choice": ShortAnswer(type="choice", choices=("Tea", "Green tea", "Café au lait")),
}
HUGE = "9" * 400


@pytest.mark.parametrize(
    ("type_", "text", "answer"),
    [
        ("number", '{"reasons": "r", "answer": 4.50}', "4.5"),
        ("number", '{"reasons": "r", "answer": "4.50 km"}', "4.50 km"),
        ("number", '```json\n{"reasons": "r", "answer": -3}\n```', "-3"),
        ("number", "42", "42"),
        ("number", "Six times seven.\nFinal answer: **42**", "42"),
        ("yes_no", '{"reasons": "r", "answer": "Yes."}', "yes"),
        ("yes_no", '{"reasons": "r", "answer": false}', "no"),
        ("yes_no", "No.", "no"),
        ("yes_no", "It rains.\n\n**Answer:** no", "no"),
        ("choice", '{"reasons": "r", "answer": "the green tea."}', "Green tea"),
        ("choice", '{"answer": "cafe\\u0301 AU LAIT"}', "Café au lait"),
        ("choice", "tea", "Tea"),
        ("text", '{"reasons": "r", "answer": " Paris\\n "}', "Paris"),
        ("text", '{"reasons": "r", "answer": ["Paris"]}', "Paris"),
        ("text", '{"reasons": "r", "answer": 7}', "7"),
        ("text", "Paris", "Paris"),
    ],
)
def test_it_reads_what_is_plainly_meant(type_: str, text: str, answer: str) -> None:
    read = TYPES[type_].read(text)
    assert isinstance(read, dict)
    assert read["answer"] == answer


@pytest.mark.parametrize(
    ("type_", "text"),
    [
        ("number", '{"answer": "about 42"}'),
        ("number", '{"answer": "1,000"}'),
        ("number", '{"answer": "4 or 5"}'),
        ("number", '{"answer": "4 or so"}'),
        ("number", '{"answer": true}'),
        ("number", '{"answer": null}'),
        ("number", f'{{"answer": {HUGE}}}'),
        ("number", f'{{"answer": "{HUGE}"}}'),
        ("number", "I count 42 of them, give or take"),
        ("yes_no", '{"answer": "yes and no"}'),
        ("yes_no", "Yes, unless it rains."),
        ("yes_no", "Answer: yes\nAnswer: no"),
        ("yes_no", '{"reasons": "...", "answer": "yes'),
        ("yes_no", '{"answer": "yes"} or {"answer": "no"}'),
        ("choice", '{"answer": "coffee"}'),
        ("choice", '{"answer": "tea or green tea"}'),
        ("text", '{"reasons": "Because."}'),
        ("text", '{"answer": "..."}'),
        ("text", json.dumps({"answer": "x" * 301})),
        ("text", "A long story. It has several sentences, and an answer somewhere in them."),
        ("text", '{"answer": {"city": "Paris"}}'),
        ("text", "   "),
    ],
)
def test_it_guesses_nothing(type_: str, text: str) -> None:
    assert isinstance(TYPES[type_].read(text), Unreadable)


@given(st.text(), st.sampled_from(sorted(TYPES)))
def test_it_reads_any_text_without_an_error(text: str, type_: str) -> None:
    answer = TYPES[type_]
    for one in (text, json.dumps({"answer": text}), f"{text}\nAnswer: {text}"):
        read = answer.read(one)
        if isinstance(read, dict):
            assert read["answer"]
            assert answer.shown(one, read).endswith(f"Answer: {read['answer']}")


@pytest.mark.parametrize("name", ["short", "number", "yes_no", "choice", "vote", "rank"])
def test_what_its_prompts_say_of_a_field_is_no_answer(name: str) -> None:
    template = prompts.template(f"poll/{name}")
    fields = [line[3:].split('": ', 1) for line in template.splitlines() if line.startswith('- "')]
    echoed = json.dumps(dict(fields))
    assert fields
    assert is_echo(echoed, prompts.example(f"poll/{name}"))


def test_who_writes_nothing_has_failed_and_who_writes_badly_is_recorded() -> None:
    answer = TYPES["yes_no"]
    why = Unreadable("x")
    assert answer.given_up("", why) is OnUnreadable.FAIL
    assert answer.given_up("perhaps", why) is OnUnreadable.RECORD
    assert answer.fallback("x") == {"reasons": "", "answer": None, "reason": "x"}
    assert answer.shown("perhaps", answer.fallback("x")) == "perhaps"


@pytest.mark.parametrize(
    ("type_", "filled", "answer"),
    [
        ("number", {"answer": "4.5"}, "4.5"),
        ("yes_no", {"answer": "Yes", "reasons": "Why not?"}, "yes"),
        ("choice", {"answer": "tea"}, "Tea"),
        ("text", {"answer": "Paris"}, "Paris"),
    ],
)
def test_a_person_fills_in_a_form(type_: str, filled: dict[str, Any], answer: str) -> None:
    one = TYPES[type_]
    given_ = filled_in(one.form, filled)
    assert isinstance(given_, dict)
    read = one.read(one.written(given_))
    assert isinstance(read, dict)
    assert (read["answer"], read["reasons"]) == (answer, filled.get("reasons", ""))


# --- the same answer ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "same",
    [
        ("The Beatles", "beatles.", "“BEATLES”", "the  Beatles!"),
        ("a dog", "A dog.", "Dog"),
        ("4.50", "4.5", "\uff14.\uff15", "+4.5", "4.500"),
        ("4.50 km", "4.5km", "4.5 KM."),
        ("$12.00", "$12", "$ 12"),
        ("1e3", "1000", "1000.0"),
        ("Straße", "STRASSE"),
        ("Bank of the West", "bank of West"),
    ],
)
def test_only_their_writing_differs(same: tuple[str, ...]) -> None:
    assert len(grouped(_given(*same))) == 1


@pytest.mark.parametrize(
    "different",
    [
        ("Plan A", "Plan B", "Plan"),
        ("Vitamin A", "Vitamin"),
        ("A", "B"),
        ("4 km", "4 m", "4"),
        ("Python 3.1", "Python 3.10"),
        ("v3.1", "v3.10"),
        ("-3", "3"),
        ("1,000", "1000"),
        ("C", "C++", "C#"),
    ],
)
def test_they_are_not_the_same(different: tuple[str, ...]) -> None:
    assert len(grouped(_given(*different))) == len(different)


@given(st.lists(st.text(min_size=1, max_size=30), max_size=8))
def test_each_answer_is_in_one_group_whatever_it_is(texts: list[str]) -> None:
    groups = grouped(_given(*texts))
    assert sorted(one.key for group in groups for one in group.given) == sorted(
        str(number) for number, _ in enumerate(texts)
    )


@given(st.text(max_size=50))
def test_to_normalise_twice_changes_nothing(text: str) -> None:
    measure = measured(text)
    assert measure is None or measured(measure.number) == (measure.number, "")
    assert isinstance(plain(text), str)


def _given(*texts: str) -> list[Given]:
    return [Given(key=str(n), by="a", name="A", answer=text) for n, text in enumerate(texts)]
