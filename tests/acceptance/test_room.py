"""Seed 002 through HTTP, on SQLite and a scripted model: the room."""

from __future__ import annotations

from pathlib import Path

from tests.acceptance.rooms import Room, script, speaker
from tests.unit.api.serving import serving
from tests.unit.engine.bench import HeldModel

from moot.testing.scripted import ScriptedModel

SKIP_PARAGRAPH = """\
Before responding, evaluate if you have something valuable to add to the conversation.
If the current discussion is outside your expertise or you have nothing meaningful
to contribute, respond with exactly "SKIP" instead of a regular response."""


# --- Auto Mode Sequence, Skip Turn Logic, @ Mention System ----------------------------------------


async def test_a_mention_is_answered_first_and_the_order_goes_on(tmp_path: Path) -> None:
    inner = ScriptedModel(script("Coffee.", "Tea."))
    model = HeldModel(inner=inner)
    async with serving(tmp_path, model) as on:
        room = await Room.open(on)
        found = await room.say("@Charlie what do you think?")
        assert found["room"]["floor"] == ["charlie", "alice", "bob"]
        assert found["upcoming"] == ["charlie", "alice", "bob"]
        assert found["room"]["next"] == "charlie"
        refused = await room.say("One more thing", status=409)
        assert refused["detail"] == "auto mode is on: switch to manual, or stop, to type"
        await model.until("talk/1/charlie/speak")
        model.open()
        found = await room.at_rest()
        spoken = await room.spoken()
        told = await room.told()
    order = ["charlie", "alice", "bob", "alice", "bob", "charlie"]
    assert [speaker(one) for one in inner.requests] == order
    assert spoken[1:] == [("charlie", "Coffee."), ("alice", "Tea.")]
    assert all(one.messages[0].content.endswith(SKIP_PARAGRAPH) for one in inner.requests)
    assert told == [
        "[Bob] skipped their turn",
        "[Alice | Architect] skipped their turn",
        "[Bob] skipped their turn",
        "[Charlie] skipped their turn",
        "Conversation paused: everybody skipped their turn",
    ]
    assert found["status"] == "waiting"
    assert found["room"]["paused"] == "everybody skipped their turn"
    assert found["room"]["skips"] == 4
    said = [message.content for message in inner.requests[-1].messages[1:]]
    assert not any("skipped" in one or one == "SKIP" for one in said)


async def test_the_next_answer_waits_and_its_time_is_known(tmp_path: Path) -> None:
    async with serving(tmp_path, ScriptedModel(script("Coffee."))) as on:
        room = await Room.open(on, settings={"response_delay": 1, "max_messages": 1})
        await room.say("Hello")
        found = await room.at_rest()
        assert (await room.told()) == ["Conversation paused: the limit of 1 messages is reached"]
        assert found["room"]["messages"] == 1
        assert "say" in found["allows"]
        await room.say("")
        found = await room.at_rest()
    assert found["room"]["paused"] == "everybody skipped their turn"


# --- Manual Mode Sequence, Message State Management -----------------------------------------------


async def test_everybody_answers_at_once_and_only_what_is_chosen_is_read(tmp_path: Path) -> None:
    model = ScriptedModel(lambda request: f"{speaker(request)} speaks.")
    async with serving(tmp_path, model) as on:
        room = await Room.open(on, settings={"pacing": "manual"})
        await room.say("Tea or coffee?")
        found = await room.at_rest()
        cards = {turn["participant"]: turn for turn in await room.turns() if turn["pending"]}
        assert set(cards) == {"alice", "bob", "charlie"}
        assert {card["type"] for card in cards.values()} == {"pending"}
        assert found["pending"] == [cards[one]["id"] for one in ("alice", "bob", "charlie")]
        assert (await room.pace("auto", status=409))["code"] == "refused"
        assert (await room.say("Well?", status=409))["code"] == "refused"
        assert (await room.settle(9999, status=422))["field"] == "include"
        await room.settle(cards["bob"]["id"])
        await room.at_rest()
        included = {turn["participant"]: turn["included"] for turn in await room.turns()}
        assert included == {"user": True, "alice": False, "bob": True, "charlie": False}
        await room.say("Go on")
        await room.at_rest()
        prompt = "\n".join(m.content for m in model.requests[-1].messages)
        assert "bob speaks." in prompt
        assert "alice speaks." not in prompt
        # Toggled later, and obeyed by the next prompt.
        await room.settle()
        await room.call("PATCH", f"turns/{cards['alice']['id']}", {"included": True})
        await room.call("PATCH", f"turns/{cards['bob']['id']}", {"included": False})
        await room.say("And now?")
        await room.at_rest()
        prompt = "\n".join(m.content for m in model.requests[-1].messages)
    assert "alice speaks." in prompt
    assert "bob speaks." not in prompt
