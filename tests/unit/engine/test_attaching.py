"""Files frozen with a debate: what is kept, what is refused, and what a fork shares."""

from __future__ import annotations

import hashlib

import pytest
from tests.unit.engine.bench import ROSTER, bench

from moot.engine.attaching import MAX_FILES, File, freeze
from moot.engine.creation import NewDebate
from moot.errors import InvalidInput
from moot.protocol import events as e

PLAN = File("docs/plan.md", "Build it of stone.\n")


def test_freezes_the_text_as_it_can_be_kept_everywhere() -> None:
    frozen = freeze([File("a.txt", "one\r\ntwo\x1b[31m\n")])
    (kept,) = frozen.attachments
    assert frozen.texts == {kept.sha256: "one\ntwo\n"}
    assert kept.sha256 == hashlib.sha256(b"one\ntwo\n").hexdigest()
    assert (kept.name, kept.size_bytes) == ("a.txt", 8)


def test_keeps_equal_texts_once_under_both_names() -> None:
    frozen = freeze([File("a", "same"), File("b", "same")])
    assert [one.name for one in frozen.attachments] == ["a", "b"]
    assert len(frozen.texts) == 1


def test_refuses_the_same_name_twice_and_too_many() -> None:
    with pytest.raises(InvalidInput, match="twice"):
        freeze([PLAN, PLAN])
    with pytest.raises(InvalidInput, match="at most"):
        freeze([File(f"{number}", "x") for number in range(MAX_FILES + 1)])


async def test_writes_down_hashes_and_what_was_left_out_and_shares_both_with_forks() -> None:
    async with bench() as on:
        new = NewDebate(
            topic="Is it so?", participants=ROSTER, files=(PLAN,), left_out="Left out: x"
        )
        debate = await on.service.create(new, start=True)
        created, notice, started = on.log(debate)
        assert isinstance(created, e.DebateCreated)
        assert [one.name for one in created.config.attachments] == ["docs/plan.md"]
        assert notice == e.NoticePosted(code="files_left_out", text="Left out: x")
        assert isinstance(started, e.DebateStarted)
        fork = await on.service.fork(debate)
        assert (await on.state(fork)).config.attachments == created.config.attachments
        assert await on.service.files(fork) == await on.service.files(debate)
        assert list((await on.service.files(fork)).values()) == [PLAN.content]


async def test_creates_nothing_when_a_file_is_refused() -> None:
    async with bench() as on:
        with pytest.raises(InvalidInput):
            await on.service.create(NewDebate(topic="T", files=(File("../x", "x"),)))
        assert on.store.rows == {}
