"""The generated references are up to date and leave nothing out."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import get_args

import pytest
from references import environment, events, files

from moot.export import EXPORTS
from moot.export.as_csv import COLUMNS
from moot.models.providers import PROVIDERS
from moot.protocol.events import AnyEvent
from moot.settings import VARIABLES

ROOT = Path(__file__).parents[3]
REFERENCES: dict[str, Callable[[], str]] = {
    "environment": environment.reference,
    "events": events.reference,
    "files": files.reference,
}


@pytest.mark.parametrize("name", REFERENCES)
def test_the_page_is_what_the_code_says(name: str) -> None:
    page = ROOT / "docs" / "reference" / f"{name}.md"
    assert page.read_text(encoding="utf-8") == REFERENCES[name](), "make references"


def test_every_variable_is_on_the_page() -> None:
    page = environment.reference()
    named = set(re.findall(r"`([A-Z][A-Z0-9_]+)`", page))
    of_providers = {
        name
        for row in PROVIDERS.values()
        for name in (*row.key_variables, row.url_variable)
        if name
    }
    assert of_providers | set(VARIABLES.values()) <= named
    assert set(environment.ABOUT) == set(VARIABLES)
    sources = [*sorted((ROOT / "src" / "moot").rglob("*.py")), ROOT / "Makefile"]
    read = {
        found
        for source in sources
        for found in re.findall(r"\b(?:MOOT|OTEL)_[A-Z_]*[A-Z]\b", source.read_text("utf-8"))
    }
    assert read <= named


def test_every_event_and_every_field_has_a_sentence() -> None:
    told = {kind: said for group in events.GROUPS.values() for kind, said in group.items()}
    assert set(told) == set(get_args(AnyEvent))
    for kind, (about, fields) in told.items():
        assert about.endswith("."), kind
        assert set(fields) == set(kind.__struct_fields__), kind


def test_every_column_and_every_export_has_a_sentence() -> None:
    assert tuple(files.CSV) == COLUMNS
    assert set(files.EXPORTS) == set(EXPORTS)
