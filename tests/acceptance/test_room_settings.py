"""What can be changed in a room that goes on, over HTTP."""

from __future__ import annotations

from pathlib import Path

from tests.acceptance.rooms import Room, script
from tests.unit.api.serving import serving

from moot.testing.scripted import ScriptedModel


async def test_settings_are_changed_recorded_and_obeyed(tmp_path: Path) -> None:
    async with serving(tmp_path, ScriptedModel(script("One.", "Two.", "Three."))) as on:
        room = await Room.open(on, settings={"max_messages": 1})
        found = await room.call("PATCH", "settings", {"max_messages": 2, "response_delay": 1})
        assert "settings" in found["allows"]
        assert (found["settings"]["max_messages"], found["settings"]["response_delay"]) == (2, 1)
        await room.say("Hello")
        await room.at_rest()
        assert await room.told() == [
            "Settings changed: max_messages is 2",
            "Conversation paused: the limit of 2 messages is reached",
        ]
        # The same again changes nothing, and neither does what is refused.
        before = (await room.view())["seq"]
        await room.call("PATCH", "settings", {"max_messages": 2})
        wrong = await room.call(
            "PATCH", "settings", {"max_wait": 9, "max_messages": -1}, status=422
        )
        assert wrong["field"] == "settings.max_messages"
        unknown = await room.call("PATCH", "settings", {"max_waits": 9}, status=422)
        assert "did you mean max_wait" in unknown["detail"]
        fixed = await room.call("PATCH", "settings", {"mention_depth": 9}, status=409)
        assert "max_messages, max_wait, response_delay" in fixed["detail"]
        assert (await room.view())["seq"] == before


async def test_no_other_debate_and_none_that_is_over_can_be_changed(tmp_path: Path) -> None:
    async with serving(tmp_path, worker=False) as on:
        duel = Room(on, await on.create(topic="Tea?"))
        refused = await duel.call("PATCH", "settings", {"max_tokens": 50}, status=409)
        assert "no setting of a" in refused["detail"]
        assert "settings" not in (await duel.view())["allows"]
    async with serving(tmp_path) as on:
        room = await Room.open(on)
        await on.command(room.id, "end")
        await room.until(lambda found: found["status"] == "completed")
        await room.call("PATCH", "settings", {"max_wait": 50}, status=409)
        assert (await room.view())["settings"]["max_wait"] == 30
