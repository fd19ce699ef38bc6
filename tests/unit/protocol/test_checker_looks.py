"""What the checker finds in what a format shows, and that no mistake ends the checker itself."""

from __future__ import annotations

from asyncio import CancelledError
from typing import Any

import pytest
from tests.unit.protocol.talk import Talk

from moot.prompts import render
from moot.protocol.answers import Text
from moot.protocol.checker import check
from moot.protocol.machine import Format
from moot.protocol.state import DebateState
from moot.protocol.words import Status


def faults(rules: Format) -> dict[str, str]:
    return {one.what: one.detail for one in check(rules, render) if not one.ok}


LOOKS = ("opening", "cautions", "upcoming", "refusal", "certificate", "view", "can_be_heard")


@pytest.mark.parametrize("name", LOOKS)
@pytest.mark.parametrize("error", [ZeroDivisionError("a mistake"), SystemExit(0)], ids=repr)
def test_it_finds_a_format_that_cannot_be_looked_at(
    name: str, error: BaseException, monkeypatch: pytest.MonkeyPatch
) -> None:
    def shy(*_given: object) -> Any:
        raise error

    monkeypatch.setattr(Talk, name, shy)
    assert faults(Talk()) == {"it can be looked at": f"{name}: {type(error).__name__}: {error}"}


@pytest.mark.parametrize("name", LOOKS)
def test_it_finds_one_that_says_what_cannot_be_shown(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Talk, name, lambda *_given: (object(),))
    found = faults(Talk())
    if name != "refusal":  # which is only asked whether it is None
        assert found["it can be looked at"].startswith(f"{name}: ")


def test_it_finds_one_that_breaks_only_at_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    def shy(_self: Talk, state: DebateState) -> bool:
        return bool(1 / (state.status is not Status.COMPLETED))

    monkeypatch.setattr(Talk, "can_be_heard", shy)
    assert "ZeroDivisionError" in faults(Talk())["it can be looked at"]


@pytest.mark.parametrize("error", [SystemExit(0), GeneratorExit(), CancelledError()], ids=repr)
def test_it_finds_one_that_would_end_whoever_asks(
    error: BaseException, monkeypatch: pytest.MonkeyPatch
) -> None:
    def leaving(*_given: object) -> Any:
        raise error

    for name in ("next", "cast", "fold", "most_calls"):
        with monkeypatch.context() as patch:
            patch.setattr(Talk, name, leaving)
            assert type(error).__name__ in faults(Talk())["a rehearsal comes to its end"]


def test_ctrl_c_ends_it(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_given: object) -> Any:
        raise KeyboardInterrupt

    for name in ("next", "view"):
        with monkeypatch.context() as patch:
            patch.setattr(Talk, name, interrupted)
            with pytest.raises(KeyboardInterrupt):
                check(Talk(), render)


@pytest.mark.parametrize(("name", "said"), [("flags", (7,)), ("shown", None)])
def test_it_finds_answers_that_make_a_turn_nobody_could_read(
    name: str, said: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Text, name, lambda *_given: said)
    assert "could not be recorded" in faults(Talk())["a rehearsal comes to its end"]
