"""Records and names in what models write: read, or refused with a reason, never guessed."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

from moot.protocol.answers import Unreadable
from moot.protocol.parsing import (
    EMPTY,
    MAX_CHARACTERS,
    NO_RECORD,
    SEVERAL,
    read_object,
    read_whole,
    same_name,
    words,
)
from moot.protocol.winners import chosen

JSON_LIKE = st.text(alphabet='{}[]":,\\ \n019eE+-.truefalsn`\ufeff\ud800aé', max_size=200)
ANY_TEXT = st.one_of(
    st.text(st.characters(exclude_categories=()), max_size=300),  # lone surrogates too
    JSON_LIKE,
    st.lists(
        st.sampled_from(['{"', '"}', '\\"', "{", "}", '"a": 1', "NaN", "1e999", "```json\n"])
    ).map("".join),
)

# What has hung, crashed or fooled a parser somewhere.
MONSTERS = {
    "nested braces": "{" * 100_000,
    "nested brackets": '{"a": ' + "[" * 90_000 + "}",
    "closed nested brackets": '{"a": ' + "[" * 45_000 + "]" * 45_000 + "}",
    "nested objects": '{"a":' * 15_000 + "1" + "}" * 15_000,
    "quotes": "{" + '"' * 99_999,
    "escaped quotes": '{"' + '\\"' * 49_000,
    "backslashes": '{"' + "\\" * 99_000,
    "many objects": '{"a":1}' * 4_000,
    "many unclosed": '{"a' * 33_000,
    "long number": '{"score": ' + "9" * 90_000 + "}",
    "ten megabytes": "{" + "x" * 10_000_000 + "}",
    "ten megabytes of names": "Sam " * 2_500_000,
    "expanding letters": "\ufdfa" * 30_000,
}


@settings(max_examples=150, deadline=None)
@given(text=ANY_TEXT)
def test_it_reads_any_text_without_raising(text: str) -> None:
    found = read_object(text)
    assert isinstance(found, dict | Unreadable)
    assert chosen(text, ["Sam", "Samantha"]) in (None, "Sam", "Samantha")
    assert same_name(text, "Sam") in (True, False)


@pytest.mark.parametrize("name", MONSTERS)
def test_it_is_not_held_up_by(name: str) -> None:
    # No clock here: before the caps these took from seconds to for ever.
    assert isinstance(read_object(MONSTERS[name]), dict | Unreadable)
    assert chosen(MONSTERS[name], ["Sam", "Bo"]) in (None, "Sam")


@settings(max_examples=200, deadline=None)
@given(
    value=st.one_of(
        st.integers(),
        st.floats(),
        st.text(),
        st.none(),
        st.booleans(),
        st.sampled_from([10**5000, -(10**5000), float("inf"), float("nan")]),
        st.lists(st.integers()),
    )
)
def test_it_takes_any_value_for_a_number_or_says_why_not(value: object) -> None:
    read = read_whole(value, lowest=0, highest=10, name="score")
    if isinstance(read, Unreadable):
        assert read.reason.startswith("score must be a whole number from 0 to 10")
    else:
        assert read in range(11)
        assert read == value
        assert not isinstance(value, bool)


@pytest.mark.parametrize(
    ("value", "expected"), [(0, 0), (10, 10), (7.0, 7), (-0.0, 0), (True, None)]
)
def test_it_reads_whole_numbers_at_the_bounds(value: object, expected: int | None) -> None:
    read = read_whole(value, lowest=0, highest=10, name="n")
    assert (None if isinstance(read, Unreadable) else read) == expected


PLAIN: dict[str, Any] = {"score": 7, "reasoning": "Because."}
JSON = json.dumps(PLAIN)


@pytest.mark.parametrize(
    "text",
    [
        JSON,
        f"  \n{JSON}\n",
        f"\ufeff{JSON}",
        f"```json\n{JSON}\n```",
        f"```\n{JSON}\n```",
        f"Here is my score:\n\n{JSON}\n\nThank you.",
        f'I gave it "some" thought. {JSON}',
        f'He is 6" tall. {JSON}',
        f'{JSON}\nHe is 6" tall.',
        f"{JSON}\n{JSON}",
        f"Draft: ```json\n{JSON}``` and once more {JSON}",
        json.dumps(PLAIN, indent=2),
        f"[{JSON}]",
        f"{{not json}} but {JSON}",
        f"}} {JSON}",
    ],
)
def test_it_finds_the_one_object(text: str) -> None:
    assert read_object(text) == PLAIN


@pytest.mark.parametrize(
    "text", ['{"a": "}"}', '{"a": "{"}', '{"a": "\\"}"}', '{"a": {"b": {}}}', "{}", '{"a": "\\\\"}']
)
def test_it_respects_quotation_marks_and_nesting(text: str) -> None:
    assert read_object(text) == json.loads(text)


NO_OBJECT = ["", "7", "[1, 2]", "null", "no", "{", "}", "{'score': 7}", '{"score": 7', '{"a": NaN}']


@pytest.mark.parametrize("text", [*NO_OBJECT, '{"a": 1e999}', '{"a": "\ud800"}', '{"a": 07}'])
def test_it_refuses_what_is_no_object(text: str) -> None:
    found = read_object(text)
    assert isinstance(found, Unreadable)
    assert found.reason == "there is no JSON object in it"
    assert found.for_people == (NO_RECORD if text else EMPTY)


@pytest.mark.parametrize(
    "text",
    [
        '{"score": 7} {"score": 8}',
        '{"score": 7}\nHe is 6" tall. {"score": 8}',
        '```json\n{"score": 7}\n```\nor rather\n```json\n{"score": 8}\n```',
        '[{"score": 7}, {"score": 8}]',
    ],
)
def test_it_refuses_to_choose_between_two_objects(text: str) -> None:
    wanted = Unreadable("there is more than one JSON object in it", SEVERAL)
    assert read_object(text) == wanted


def test_it_refuses_what_is_too_long_or_too_deep() -> None:
    inside = MAX_CHARACTERS - len('{"a": ""}')
    fits, too_long = ('{"a": "' + "x" * size + '"}' for size in (inside, inside + 1))
    assert isinstance(read_object(fits), dict)
    assert read_object(too_long) == Unreadable("the reply is too long")
    deep = [json.loads('{"a":' * depth + "1" + "}" * depth) for depth in (20, 21)]
    assert read_object(json.dumps(deep[0])) == deep[0]
    assert isinstance(read_object(json.dumps(deep[1])), Unreadable)


# --- names ----------------------------------------------------------------------------------------

SAMS, ANAS = ("Sam", "Samantha"), ("Ana", "Ana Maria")


@pytest.mark.parametrize(
    ("text", "names", "expected"),
    [
        ("Sam", SAMS, "Sam"),
        ("Samantha", SAMS, "Samantha"),
        ("samantha.", SAMS, "Samantha"),
        ("SAM!", SAMS, "Sam"),
        ("**Sam**", SAMS, "Sam"),
        ("_Sam_", SAMS, "Sam"),
        ("'Sam'", SAMS, "Sam"),
        ("“Sam”", SAMS, "Sam"),
        ("Sam's case was stronger.", SAMS, "Sam"),
        ("Sam\u2019s case", SAMS, "Sam"),
        ("The winner is Sam, clearly.", SAMS, "Sam"),
        ("Sam. Yes, Sam.", SAMS, "Sam"),
        ("Sam beat Samantha", SAMS, None),
        ("Sammy", SAMS, None),
        ("Same as before", SAMS, None),
        ("neither", SAMS, None),
        ("", SAMS, None),
        ("Ana", ANAS, "Ana"),
        ("Ana Maria", ANAS, "Ana Maria"),
        ("Ana-Maria", ANAS, "Ana Maria"),
        ("ana   maria!", ANAS, "Ana Maria"),
        ("Ana, not Maria", ANAS, None),
        ("Ana Maria beat Ana", ANAS, None),
        ("Maria", ANAS, None),
        ("O\u2019Brien", ("O'Brien", "Brien"), "O'Brien"),
        ("Brien", ("O'Brien", "Brien"), "Brien"),
        ("Dr. Strange", ("Dr Strange", "Dr Who"), "Dr Strange"),
        ("Agent 7", ("Agent 7", "Agent 77"), "Agent 7"),
        ("STRASSE", ("Straße", "Weg"), "Straße"),
        ("Jose\u0301", ("José", "Josef"), "José"),
        ("\uff21\uff2e\uff21", ANAS, "Ana"),
        ("Победил Иван.", ("Иван", "Ольга"), "Иван"),
        ("Οδυσσεύς", ("Οδυσσευς", "ΟΔΥΣΣΕΎΣ"), "ΟΔΥΣΣΕΎΣ"),
        ("李雷。", ("李雷", "韩梅梅"), "李雷"),
        ("रोम", ("राम", "रोम"), "रोम"),
        ("राम।", ("राम", "रोम"), "राम"),
        ("กา", ("กา", "กี"), "กา"),
        ("محمد", ("محمد", "أحمد"), "محمد"),
    ],
)
def test_it_finds_a_whole_name(text: str, names: tuple[str, ...], expected: str | None) -> None:
    assert chosen(text, names) == expected
    assert chosen(text, names[::-1]) == expected


def test_it_looks_for_no_name_in_a_reply_that_is_too_long() -> None:
    assert chosen("Sam " + "x" * (MAX_CHARACTERS - 4), SAMS) == "Sam"
    assert chosen("Sam " + "x" * (MAX_CHARACTERS - 3), SAMS) is None


@given(
    name=st.text(st.characters(categories=("Lu", "Ll", "Lo", "Mn", "Mc")), min_size=1, max_size=10)
)
def test_it_finds_every_name_that_has_words(name: str) -> None:
    if words(name):
        assert chosen(f"“{name}”!", [name]) == name
        assert same_name(f" {name.upper()}. ", name) or name.upper().casefold() != name.casefold()


@pytest.mark.parametrize(
    ("given_name", "name", "expected"),
    [
        ("Sam", "Sam", True),
        ("sam.", "Sam", True),
        ("Sam Reed", "Sam", False),
        ("Samantha", "Sam", False),
        (None, "Sam", False),
        (7, "7", False),
        (["Sam"], "Sam", False),
    ],
)
def test_it_knows_a_name_and_nothing_else(given_name: object, name: str, expected: bool) -> None:
    assert same_name(given_name, name) is expected
