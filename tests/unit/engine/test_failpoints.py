"""The places where tests kill: they do nothing unless one is armed."""

from __future__ import annotations

import os

import pytest

from moot.engine import failpoints


def test_does_nothing_unless_armed() -> None:
    for name in failpoints.NAMES:
        failpoints.reach(name)


def test_ends_the_process_at_the_named_place_the_nth_time(monkeypatch: pytest.MonkeyPatch) -> None:
    ended: list[int] = []
    monkeypatch.setattr(os, "_exit", ended.append)
    monkeypatch.setattr(failpoints, "_armed", "before_send")
    monkeypatch.setattr(failpoints, "_left", 3)
    for place in ("before_send", "claimed", "before_send", "before_commit"):
        failpoints.reach(place)
    assert ended == []
    failpoints.reach("before_send")
    assert ended == [failpoints.KILLED]


def test_raises_instead_if_that_is_what_was_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(failpoints, "_armed", "news")
    monkeypatch.setattr(failpoints, "_how", "raise")
    monkeypatch.setattr(failpoints, "_left", 2)
    failpoints.reach("news")
    with pytest.raises(RuntimeError, match="planted at the failpoint news"):
        failpoints.reach("news")
    failpoints.reach("news")
