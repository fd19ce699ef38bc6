"""Whom a word means."""

from __future__ import annotations

import pytest

from moot.definitions.personas import pick
from moot.errors import NotFound
from moot.protocol.values import Persona

PEOPLE = [
    Persona(name="Ada", title="Architect"),
    Persona(name="Adalbert Stein", title="The Surgeon"),
    Persona(name="Security"),
    Persona(name="Sadiq", title="Security"),
    Persona(name="Ann-Marie", title="Judge"),
    Persona(name="Annette", title="Judge"),
    Persona(name="Zoë", title=""),
]


def picked(wanted: str) -> str:
    return pick(wanted, PEOPLE, kind="persona", advice="look elsewhere").name


@pytest.mark.parametrize(
    ("wanted", "name"),
    [
        ("ada", "Ada"),  # exact, though another begins so
        ("ARCHITECT", "Ada"),
        ("archi", "Ada"),
        ("adalb", "Adalbert Stein"),
        ("surgeon", "Adalbert Stein"),
        ("the-surgeon", "Adalbert Stein"),
        ("security", "Security"),  # a name before a title
        ("sad", "Sadiq"),
        ("annmarie", "Ann-Marie"),
        ("zoë", "Zoë"),
    ],
)
def test_a_name_then_a_title_then_the_only_beginning(wanted: str, name: str) -> None:
    assert picked(wanted) == name


@pytest.mark.parametrize(
    ("wanted", "said"),
    [
        ("ad", r"ad could be Ada \(Architect\), Adalbert Stein \(The Surgeon\); write more"),
        ("judge", r"could be Ann-Marie \(Judge\), Annette \(Judge\)"),
        ("arkitect", r"no persona called arkitect; did you mean Ada\?"),
        ("qqqq", "look elsewhere"),
        ("", "look elsewhere"),
        ("...", "look elsewhere"),
    ],
)
def test_nobody_is_taken_who_may_not_be_meant(wanted: str, said: str) -> None:
    with pytest.raises(NotFound, match=said):
        picked(wanted)
