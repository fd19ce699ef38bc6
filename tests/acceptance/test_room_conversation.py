"""Thirty turns with models that echo, ramble, skip and impersonate read like a conversation."""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path

from tests.acceptance.rooms import Room, speaker
from tests.unit.api.serving import serving

from moot.models.port import ChatRequest
from moot.testing.clock import FakeClock
from moot.testing.scripted import ScriptedModel

CAST = [
    {"name": "Echo", "title": "Parrot", "role": "member"},
    {"name": "Rambler", "role": "member"},
    {"name": "Skipper", "role": "member"},
    {"name": "Mimic", "title": "Actor", "role": "member"},
]
NAMES = [one["name"] for one in CAST]
LABEL = re.compile(rf"\[?(?:{'|'.join(NAMES)}|User)(?: \| \w+)?\]?\s*:")
SKIPS = ("SKIP", "**SKIP**", '"Skip."', "[SKIP]")


def unruly(request: ChatRequest) -> str:
    """What models do that nobody asked them to."""
    who, number = speaker(request), int(request.label.split("/")[2])
    *_, heard, asked = (one.content for one in request.messages)
    last = heard.splitlines()[0]
    if who == "echo" and number // 4 % 4 == 1:
        return asked
    if who == "echo" and number // 4 % 4 == 2:
        return heard  # with the label of whoever said it
    if who == "echo" and number // 4 % 4 == 3:
        return f"{last}\nBut why?"
    said = {
        "echo": f"[Echo | Parrot]: Echo: point {number}. You said: {LABEL.sub('', last)[-60:]}",
        "rambler": "Rambler: " + f"On point {number} there is much to say. " * 30,
        "skipper": SKIPS[number % 4] if number % 3 else f"Only this, on point {number}. @Mimic?",
        "mimic": f"Point {number} is mine.\n[Rambler]: No, mine!\n\n**User:** Stop it, both.",
    }
    return said[who]


async def test_thirty_turns_read_like_a_conversation(tmp_path: Path) -> None:
    model = ScriptedModel(unruly)
    async with serving(tmp_path, model, clock=FakeClock()) as on:
        room = await Room.open(on, participants=CAST, settings={"max_messages": 30})
        await room.say("@Skipper, shall we begin?")
        await room.at_rest()
        turns, told = await room.turns(), await room.told()
        seen = (await room.view())["room"]
    assert room.opening == [
        "[Echo | Parrot] joined the conversation",
        "[Rambler] joined the conversation",
        "[Skipper] joined the conversation",
        "[Mimic | Actor] joined the conversation",
        "The context window of scripted:debater is not known; Moot assumes 32,000 tokens.",
        "Auto mode started",
    ]
    spoken = [turn for turn in turns[1:] if "skipped" not in turn["meta"]["flags"]]
    assert len(spoken) == 30
    for turn in spoken:
        assert not LABEL.search(turn["content"]), turn["content"]
        assert "SKIP" not in turn["content"]
        assert turn["content"].strip()
    # Nobody has the floor twice in a row, and everybody has it in every round.
    floor = [turn["participant"] for turn in turns[1:]]
    assert all(one != other for one, other in pairwise(floor))
    rounds: dict[int, list[str]] = {}
    for turn in turns[1:]:
        rounds.setdefault(turn["round"], []).append(turn["participant"])
    whole = [rounds[number] for number in sorted(rounds)][:-1]
    assert all({*one} == {"echo", "rambler", "skipper", "mimic"} for one in whole)
    # Skips are told, and no model ever reads of them.
    skips = [told.count(f"[{name}] skipped their turn") for name in ("Skipper", "Echo | Parrot")]
    assert skips == [seen["skipped"]["skipper"], seen["skipped"]["echo"]]
    assert sum(skips) == len(turns) - 31
    assert min(skips) > 2
    for request in model.requests:
        assert not any(SKIPS[0] in one.content for one in request.messages[1:])
        quoted = [one.content for one in request.messages[1:] if one.role == "user"]
        assert not any(LABEL.match(LABEL.sub("", one, count=1).lstrip()) for one in quoted)
