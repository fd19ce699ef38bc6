"""`moot.sync`: the library for scripts and notebooks."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from tests.acceptance.provider import ROSTER, TOPIC

import moot
from moot.errors import Refused
from moot.testing.scripted import ScriptedModel, ScriptedModels

INTERRUPTED = """
import os, signal, sys, threading
import moot

signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background jobs ignore it

asked = 0
ready, go_on = threading.Event(), threading.Event()

def slow(messages):
    global asked
    asked += 1
    ready.set()
    go_on.wait()
    return "Tea."

def interrupt():
    ready.wait()
    os.kill(os.getpid(), signal.SIGINT)

with moot.sync.open(home=sys.argv[1], models={"slow": slow}) as m:
    debate = m.create("Tea?", model="slow", turns=1)
    threading.Thread(target=interrupt).start()
    try:
        debate.finish()
    except KeyboardInterrupt:
        print("interrupted")
    go_on.set()
    print(debate.finish().status, asked > 2)
"""


def played(model: ScriptedModel, home: Path) -> str | None:
    with moot.sync.open(home=home, models=ScriptedModels(model)) as m:
        debate = m.create(TOPIC, participants=ROSTER, turns=2)
        said = []
        while debate.status is not moot.Status.COMPLETED:
            for turn in debate.run():
                said.append(turn.step_key)
                break
        assert sorted(said) == sorted(turn.step_key for turn in debate.turns)
        assert isinstance(debate.finish(), moot.Verdict)
        assert [row.id for row in m.list(status="completed")] == [debate.id]
        assert m.get(debate.id[:8]).winner == debate.winner
        return debate.winner


def test_plays_a_debate_in_a_script(tmp_path: Path) -> None:
    model = ScriptedModel()
    assert played(model, tmp_path) == "Ada"
    assert len(model.requests) == 14


async def test_plays_a_debate_inside_a_running_loop(tmp_path: Path) -> None:
    assert asyncio.get_running_loop().is_running()
    model = ScriptedModel()
    assert played(model, tmp_path) == "Ada"
    assert len(model.requests) == 14


def test_stays_open_until_it_is_closed_and_then_refuses(tmp_path: Path) -> None:
    before = threading.active_count()
    m = moot.sync.open(home=tmp_path, models=ScriptedModels())
    debate = m.create(TOPIC, participants=ROSTER)
    left = debate.run()
    next(left)
    m.close()
    m.close()
    left.close()
    with pytest.raises(Refused, match="closed"):
        debate.refresh()
    assert threading.active_count() <= before + 1  # the pool of an ended loop may linger


def test_what_cannot_be_opened_says_why() -> None:
    with pytest.raises(moot.InvalidInput, match="postgresql"):
        moot.sync.open(database_url="mysql://")


def test_has_every_other_verb(tmp_path: Path) -> None:
    with moot.sync.open(home=tmp_path, models=ScriptedModels()) as m:
        debate = m.load("remote-work", turns=1, idempotency_key="once")
        assert m.load("remote-work", turns=1, idempotency_key="once").id == debate.id
        assert any(isinstance(item, moot.TextWritten) for item in debate.stream(text=True))
        assert debate.export("md").startswith("#")
        fork = debate.fork(at=3)
        fork.command("cancel")
        fork.delete()
        with pytest.raises(moot.NotFound):
            m.get(fork.id)
        with pytest.raises(moot.InvalidInput):
            debate.seen_by("nobody")
        assert debate.unveiled().topic == debate.topic == debate.refresh().config.topic
        for refused in (debate.reveal, lambda: debate.say("Hello")):
            with pytest.raises(moot.Refused):
                refused()
        with pytest.raises(moot.MootError):
            debate.answer("nothing", "Hello")
        assert debate.cost_usd is None
        assert debate.id in repr(debate)


@pytest.mark.skipif(os.name == "nt", reason="signals")
def test_ctrl_c_interrupts_what_is_waited_for_and_the_debate_goes_on(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", INTERRUPTED, str(tmp_path)],
        capture_output=True,
        text=True,
        check=False,
        timeout=50,
    )
    assert done.stdout.split() == ["interrupted", "unreadable", "True"], done.stderr
    assert "Traceback" not in done.stderr
