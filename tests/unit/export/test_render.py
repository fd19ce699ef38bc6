from __future__ import annotations

import pytest
from tests.unit.export import samples

from moot.errors import IllegalEvent, InvalidInput
from moot.export import EXPORTS, render
from moot.protocol import events as e
from moot.protocol.values import Participant
from moot.protocol.words import Role

OF_COUNCILS = {"report", "decision-record"}
ALL = sorted(set(EXPORTS) - OF_COUNCILS)
OF_ANY = [name for name in ALL if name != "answer"]
"""An answer is of a debate that has an outcome, and has nothing else in it."""


def test_names_the_known_kinds_when_asked_for_another() -> None:
    with pytest.raises(InvalidInput) as caught:
        render(samples.log(), "pdf", debate_id="d")
    assert caught.value.field == "as"
    assert all(name in str(caught.value) for name in ("pdf", *ALL))


def test_has_a_media_type_and_an_extension_for_each_kind() -> None:
    assert set(EXPORTS) == {"md", "html", "answer", "json", "csv", "log", *OF_COUNCILS}
    documents = {"answer", *OF_COUNCILS}
    wanted = {f".{name}.md" if name in documents else f".{name}" for name in EXPORTS}
    wanted = wanted - {".log"} | {".jsonl"}
    assert {one.extension for one in EXPORTS.values()} == wanted


@pytest.mark.parametrize("kind", ALL)
def test_gives_the_same_bytes_for_the_same_log(kind: str) -> None:
    decoded = tuple(
        e.Recorded(one.seq, one.at, e.decode(e.encode(one.event))) for one in samples.log()
    )
    once = render(samples.log(), kind, debate_id="d")
    assert once == render(decoded, kind, debate_id="d")
    assert once.encode()


@pytest.mark.parametrize("kind", ALL)
def test_refuses_an_empty_log(kind: str) -> None:
    with pytest.raises(IllegalEvent):
        render((), kind, debate_id="d")


@pytest.mark.parametrize("kind", ["md", "html"])
@pytest.mark.parametrize(
    ("events", "sentence"),
    [
        ((), "has not begun"),
        ((e.DebateStarted(),), "still running"),
        ((e.DebateStarted(), e.StopRequested(), e.DebateStopped()), "can be resumed"),
        ((e.DebateStarted(), e.DebateCanceled()), "There is no verdict"),
        ((e.DebateStarted(), e.DebateFailed(error="no key for x")), "no key for x"),
    ],
)
def test_says_that_a_debate_is_not_finished(
    kind: str, events: tuple[e.AnyEvent, ...], sentence: str
) -> None:
    text = render(samples.begun(*events), kind, debate_id="d")
    assert sentence in text
    assert "Nothing has been said yet" in text
    assert "Premise upheld" not in text


@pytest.mark.parametrize("kind", OF_ANY)
def test_exports_half_a_debate(kind: str) -> None:
    whole = samples.log()
    for length in range(1, len(whole)):
        assert render(whole[:length], kind, debate_id="d")


@pytest.mark.parametrize("kind", OF_ANY)
def test_shows_what_was_said_by_people_who_came_and_went(kind: str) -> None:
    guest = Participant(id="g", name="Guest", role=Role.MEMBER, model="human")
    log = samples.begun(
        e.DebateStarted(),
        e.ParticipantJoined(participant=guest),
        e.MessageSaid(participant="g", content="May I?"),
        e.TurnExcluded(turn=4),
        e.ParticipantLeft(participant="g"),
    )
    text = render(log, kind, debate_id="d")
    assert "Guest" in text
    assert "May I?" in text


@pytest.mark.parametrize("kind", ["md", "html"])
def test_marks_a_turn_left_out_of_the_prompts(kind: str) -> None:
    log = samples.begun(
        e.DebateStarted(), e.MessageSaid(participant="a", content="Hm."), e.TurnExcluded(turn=3)
    )
    assert "left out of the prompts" in render(log, kind, debate_id="d")
