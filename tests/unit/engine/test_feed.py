"""The feed itself: who is told what, and that nobody is waited for."""

from __future__ import annotations

import pytest
from tests.unit.engine.test_performer import SAY

from moot.engine import feed as feed_module
from moot.engine.feed import Feed, TextVoided, TextWritten
from moot.protocol.events import DebateStarted, Recorded
from moot.testing.clock import START


def _records(*seqs: int) -> list[Recorded]:
    return [Recorded(seq, START, DebateStarted()) for seq in seqs]


async def test_tells_only_those_who_watch_that_debate() -> None:
    feed = Feed()
    with feed.subscribe("a", wants_text=False) as one, feed.subscribe("b", wants_text=False) as two:
        feed.publish("a", _records(1, 2))
        one.close()
        two.close()
        assert [item async for item in one.items()] == _records(1, 2)
        assert [item async for item in two.items()] == []


async def test_sends_text_only_to_those_who_want_it() -> None:
    feed = Feed()
    assert feed.text_sink("a", SAY) is None
    with feed.subscribe("a", wants_text=False) as without:
        assert feed.text_sink("a", SAY) is None
        with feed.subscribe("a", wants_text=True) as viewer:
            sink = feed.text_sink("a", SAY)
            assert sink is not None
            sink("Well")
            feed.live("a", TextVoided(SAY))
            viewer.close()
            assert [item async for item in viewer.items()] == [
                TextWritten(SAY, "Well"),
                TextVoided(SAY),
            ]
        without.close()
        assert [item async for item in without.items()] == []


async def test_forgets_viewers_that_have_left() -> None:
    feed = Feed()
    with feed.subscribe("a", wants_text=True):
        assert feed._watching
    assert feed._watching == {}
    feed.publish("a", _records(1))


async def test_bounds_what_it_keeps_for_a_viewer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(feed_module, "MAX_BEHIND", 10)
    feed = Feed()
    with feed.subscribe("a", wants_text=False) as viewer:
        for seq in range(1, 26):
            feed.publish("a", _records(seq))
            assert len(viewer._items) <= 10
        viewer.close()
        seqs = [item.seq async for item in viewer.items() if isinstance(item, Recorded)]
        assert seqs == list(range(21, 26))


async def test_knows_what_is_being_asked_for_who_comes_later() -> None:
    feed = Feed()
    with feed.performing("a", SAY):
        assert feed.in_flight("a") == (SAY,)
        assert feed.in_flight("b") == ()
    assert feed.in_flight("a") == ()
    assert not feed._in_flight
