"""The reference page is what the docstrings say, and has every name."""

from __future__ import annotations

from pathlib import Path

from references.python import GROUPS, reference

import moot

PAGE = Path(__file__).parents[3] / "docs" / "reference" / "python.md"


def test_the_reference_is_up_to_date() -> None:
    assert PAGE.read_text(encoding="utf-8") == reference(), "make references"


def test_every_name_of_the_api_is_on_it() -> None:
    named = [name for names in GROUPS.values() for name in names]
    assert sorted([*named, "sync", "__version__"]) == sorted(moot.__all__)
    assert all(f"`moot.{name}" in reference() for name in ("sync.open", "__version__"))
