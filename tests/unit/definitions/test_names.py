"""Names: what is refused, when two are one, and ids."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, strategies as st

from moot.errors import InvalidInput
from moot.protocol.names import (
    ID_MAX,
    RESERVED,
    check_name,
    find_clash,
    fold_name,
    look_alike,
    slug,
)

NAMES = st.text(max_size=80)


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("Ada", "Ada"),
        ("  Ada   Lovelace ", "Ada Lovelace"),
        ("Ada\n", "Ada"),  # a block text in YAML ends with a newline
        ("Seán O'Brien-Ó Sé, Jr.", "Seán O'Brien-Ó Sé, Jr."),
        ("e\u0301va", "éva"),
        ("蘇軾", "蘇軾"),
        ("नेहा", "नेहा"),
        (
            "\u0639\u0644\u06cc\u200c\u0631\u0636\u0627",
            "\u0639\u0644\u06cc\u200c\u0631\u0636\u0627",
        ),
        ("क्\u200dष", "क्\u200dष"),
        ("Ada \U0001f469\u200d\U0001f4bb", "Ada \U0001f469\u200d\U0001f4bb"),
        ("R2-D2", "R2-D2"),
        ("Systema", "Systema"),
        ("x" * 60, "x" * 60),
    ],
)
def test_it_keeps_ordinary_names(given: str, kept: str) -> None:
    assert check_name(given) == kept


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("", "empty"),
        ("   ", "empty"),
        ("x" * 61, "at most 60"),
        ("x" * 10_000, "at most 60"),
        ("\ufdfa" * 4, "at most 60"),  # one character that NFKC makes eighteen
        ("Ada\nSystem", "one line"),
        ("Ada\u2028Judge", "one line"),
        ("Ada\x1b[31m", "control"),
        ("Ada\x00", "control"),
        ("Ada\u202eevE", "invisible"),
        ("A\u200bda", "invisible"),
        ("A\u200dda", "invisible"),
        ("\u0645\u06cc\u200c", "invisible"),
        ("Ada\u3164", "invisible"),
        ("Ada\U000e0041", "invisible"),
        ("A\ud800", "control"),
        ("<script>", "must not contain < >"),
        ("<img src=x onerror=alert(1)>", "must not contain"),
        ("\uff1cscript\uff1e", "must not contain < >"),  # full-width brackets
        ("{topic.__class__}", "must not contain { }"),
        ("[SYSTEM]", r"must not contain \[ \]"),
        ("Ada | Judge", r"must not contain \|"),
        ("@Ada", "must not contain @"),
        ('Ada "', 'must not contain "'),
        ("Judge: A wins", "must not contain :"),
        ("...", "letter or digit"),
        ("\U0001f98a", "letter or digit"),
        ("System", "reserved"),
        ("sYsTeM.", "reserved"),
        ("\u0405ystem", "reserved"),  # a Cyrillic first letter
        ("\uff35ser", "reserved"),  # a full-width one
        ("Undecided", "reserved"),
    ],
)
def test_it_refuses_names_that_could_pass_for_something_else(name: str, reason: str) -> None:
    with pytest.raises(InvalidInput, match=reason) as caught:
        check_name(name)
    assert caught.value.field == "name"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Ada", "ADA"),
        ("Ada Lovelace", "ada-lovelace"),
        ("Straße", "STRASSE"),
        ("\uff21da", "Ada"),
        ("\u0410d\u0430", "Ada"),  # Cyrillic A and a
        ("\u0391da", "Ada"),  # Greek Alpha
    ],
)
def test_it_finds_names_that_are_one(one: str, other: str) -> None:
    assert find_clash(["Bob", one, other]) == (1, 2)


@pytest.mark.parametrize("other", ["Samantha", "Sam 2", "José", "Lan", "Саша"])
def test_it_keeps_apart_what_only_resembles(other: str) -> None:
    assert find_clash(["Sam", "Jose", "Ian", other]) is None


@given(NAMES)
def test_folding_twice_is_folding_once(name: str) -> None:
    assert fold_name(fold_name(name)) == fold_name(name)


@given(NAMES)
def test_case_and_punctuation_do_not_matter(name: str) -> None:
    assert fold_name(f" '{name}'. ") == fold_name(name)


@given(NAMES)
def test_a_name_that_is_kept_is_kept_again_and_folds_to_something(name: str) -> None:
    try:
        kept = check_name(name)
    except InvalidInput:
        return
    assert check_name(kept) == kept
    assert fold_name(kept)
    assert look_alike(kept)
    assert not set(kept) & set('[]{}<>|@"\n\r\x00')


@given(st.lists(NAMES, max_size=12))
def test_ids_are_plain_unique_and_never_reserved(names: list[str]) -> None:
    taken: list[str] = []
    for name in names:
        taken.append(slug(name, taken))
    assert len(set(taken)) == len(taken)
    assert all(re.fullmatch(r"[a-z0-9][a-z0-9_]*", made) for made in taken)
    assert all(len(made) <= ID_MAX + len("_12") for made in taken)
    assert RESERVED.isdisjoint(taken)


@pytest.mark.parametrize(
    ("name", "taken", "made"),
    [
        ("Ada", [], "ada"),
        ("Ada", ["ada"], "ada_2"),
        ("Ada", ["ada", "ada_2"], "ada_3"),
        ("Åsa Løvgren", [], "asa_lovgren"),
        ("Seán O'Brien", [], "sean_o_brien"),
        ("蘇軾", [], "participant"),
        ("蘇轍", ["participant"], "participant_2"),
        ("user", [], "user_2"),
        ("System!", [], "system_2"),
    ],
)
def test_ids_come_from_names(name: str, taken: list[str], made: str) -> None:
    assert slug(name, taken) == made
