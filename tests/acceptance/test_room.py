"""Seed 002 through HTTP, on SQLite and a scripted model: the room."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from tests.acceptance.rooms import MEMBERS, Room, script, speaker
from tests.acceptance.terminals import Provider
from tests.acceptance.test_serve import Server
from tests.unit.api.serving import serving
from tests.unit.engine.bench import HeldModel

import moot
from moot.errors import ModelRefused, RateLimited
from moot.models.port import ChatRequest, ModelFacts
from moot.protocol.words import Status
from moot.testing.scripted import ScriptedModel, ScriptedModels

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


# --- @ Mention System -----------------------------------------------------------------------------


async def test_names_are_found_by_their_beginning_and_muted_ones_are_not_called(
    tmp_path: Path,
) -> None:
    names = ("Ann", "Anna-Lena", "Mary Jane", "Bob")
    members = [{"name": name, "role": "member"} for name in names]
    model = ScriptedModel(lambda _request: "SKIP")
    async with serving(tmp_path, model) as on:
        room = await Room.open(on, participants=members)
        asked = {
            "@anna what?": ["anna_lena", "ann", "mary_jane", "bob"],
            "@ann and you?": ["ann", "anna_lena", "mary_jane", "bob"],
            "@mary jane?": ["mary_jane", "ann", "anna_lena", "bob"],
            "@maryjane?": ["mary_jane", "ann", "anna_lena", "bob"],
            "`@bob` or bob@example.org": ["ann", "anna_lena", "mary_jane", "bob"],
        }
        for text, order in asked.items():
            model.requests.clear()
            await room.say(text)
            await room.at_rest()
            assert [speaker(one) for one in model.requests] == order, text
        await room.call("PATCH", "participants/bob", {"muted": True})
        model.requests.clear()
        await room.say("@Bob?")
        await room.at_rest()
        found = await room.view()
    assert [speaker(one) for one in model.requests] == ["ann", "anna_lena", "mary_jane"]
    assert {one["id"]: one["muted"] for one in found["participants"]}["bob"] is True


async def test_two_mentions_are_answered_at_once_and_stand_in_order(tmp_path: Path) -> None:
    model = HeldModel(lambda request: f"{speaker(request)} speaks.")
    async with serving(tmp_path, model) as on:
        room = await Room.open(on, settings={"max_messages": 2})
        await room.say("@Charlie, @Alice: which?")
        both = ["talk/1/alice/speak", "talk/1/charlie/speak"]
        await model.until(*both)
        found = await room.view()
        assert found["room"]["waiting_for"] == ["alice", "charlie"]
        await model.answer(both[1], then=[both[0]])
        model.let(both[0])
        await room.at_rest()
        assert [who for who, _ in await room.spoken()] == ["user", "alice", "charlie"]


async def test_two_members_that_call_each_other_are_stopped(tmp_path: Path) -> None:
    def script_(request: ChatRequest) -> str:
        return {"alice": "@Bob, no!", "bob": "@Alice, yes!"}.get(speaker(request), "SKIP")

    model = ScriptedModel(script_)
    async with serving(tmp_path, model) as on:
        room = await Room.open(on, settings={"mention_depth": 1, "max_messages": 3})
        await room.say("Talk")
        await room.at_rest()
    assert [speaker(one) for one in model.requests] == ["alice", "bob", "charlie", "alice"]


# --- Auto Mode Control ----------------------------------------------------------------------------


async def test_stop_halts_at_once_and_who_spoke_stays_at_the_head(tmp_path: Path) -> None:
    model = HeldModel(script("Coffee."))
    async with serving(tmp_path, model) as on:
        room = await Room.open(on)
        await room.say("Hello")
        await model.until("talk/1/alice/speak")
        await room.call("POST", "stop")
        found = await room.until(lambda found: found["status"] == "stopped")
        assert model.dropped == ["talk/1/alice/speak"]
        assert found["room"]["floor"] == ["alice", "bob", "charlie"]
        assert await room.told() == ["Auto mode stopped"]
        await room.call("POST", "resume")
        await model.until("talk/1/alice/speak")
        await room.call("POST", "stop")
        await room.until(lambda found: found["status"] == "stopped")
        # To say something goes on, too.
        await room.say("@Bob, rather you")
        await model.until("talk/2/bob/speak")
        model.open()
        await room.at_rest()
        assert (await room.spoken())[-1] == ("bob", "Coffee.")


async def test_to_manual_the_answer_is_finished_and_the_rest_become_cards(tmp_path: Path) -> None:
    model = HeldModel(lambda request: f"{speaker(request)} speaks.")
    async with serving(tmp_path, model) as on:
        room = await Room.open(on)
        await room.say("Hello")
        await model.until("talk/1/alice/speak")
        for pacing in ("manual", "auto", "manual", "manual"):
            await room.pace(pacing)
        model.let("talk/1/alice/speak")
        await model.until("talk/2/bob/speak", "talk/2/charlie/speak")
        assert model.dropped == []
        model.open()
        found = await room.at_rest()
        turns = {turn["participant"]: turn for turn in await room.turns()}
        assert turns["alice"]["pending"] is False
        assert found["pending"] == [turns["bob"]["id"], turns["charlie"]["id"]]
        assert found["pacing"] == "manual"


# --- Agent Participation Control, joining and leaving ---------------------------------------------


async def test_people_come_and_go(tmp_path: Path) -> None:
    model = ScriptedModel(lambda _request: "SKIP")
    async with serving(tmp_path, model) as on:
        room = await Room.open(on)
        await room.call("POST", "participants", {"persona": "architect"})
        await room.call("POST", "participants", {"name": "Zoe", "title": "Zoologist"})
        refused = await room.call("POST", "participants", {"name": "zoe"}, status=422)
        assert refused["field"] == "name"
        await room.call("POST", "participants", {"persona": "nobody at all"}, status=404)
        await room.call("POST", "participants", {"title": "Nobody"}, status=422)
        await room.call("DELETE", "participants/bob")
        await room.call("DELETE", "participants/bob", status=404)
        await room.say("Hello")
        found = await room.at_rest()
        assert await room.told() == [
            "[Ada | Architect] joined the conversation",
            "[Zoe | Zoologist] joined the conversation",
            "[Bob] left the conversation",
            *(
                f"[{name}] skipped their turn"
                for name in ("Alice | Architect", "Charlie", "Ada | Architect", "Zoe | Zoologist")
            ),
            "Conversation paused: everybody skipped their turn",
        ]
        assert [one["id"] for one in found["participants"] if one["has_left"]] == ["bob"]
        # Who had left comes back under the same id, at the end.
        found = await room.call("POST", "participants", {"name": "Bob"})
        assert found["room"]["floor"][-1] == "bob"


# --- Context Window Management --------------------------------------------------------------------


async def test_the_room_warns_and_stops_before_a_window_is_full(tmp_path: Path) -> None:
    model = ScriptedModel(lambda _request: "word " * 100)
    facts = ModelFacts(context_window=1100)
    settings = {"pacing": "manual", "max_tokens": 100}
    async with serving(tmp_path, model, facts=facts) as on:
        room = await Room.open(on, settings=settings)
        for _ in range(2):
            await room.say("More")
            found = await room.at_rest()
            await room.settle(*found["pending"][:2])
            await room.at_rest()
        await room.pace("auto")
        found = await room.at_rest()
        told = await room.told()
    shares = [one["share"] for one in found["room"]["context"]]
    assert all(share >= 0.95 for share in shares)
    assert "Conversation approaching model context limit" in told
    assert told[-1].startswith("Conversation paused: [Alice | Architect] cannot read any more. To")
    assert sum("has filled" in text for text in told) == 3
    assert {one["type"] for one in found["notices"]} == {"system", "error"}


# --- Error Handling -------------------------------------------------------------------------------


async def test_a_failure_is_told_and_only_that_member_tries_again(tmp_path: Path) -> None:
    model = ScriptedModel(script(ModelRefused("no such model"), "Here I am."))
    async with serving(tmp_path, model) as on:
        room = await Room.open(on)
        await room.say("Hello")
        found = await room.at_rest()
        assert await room.told() == [
            "⚠️ [Alice | Architect] Failed to respond: no such model",
            "Conversation paused: [Alice | Architect] failed to respond",
        ]
        assert found["status"] == "waiting"
        assert found["room"]["failed"] == ["alice"]
        await room.call("POST", "participants/bob/retry", status=409)
        await room.call("POST", "participants/alice/retry")
        await room.at_rest()
        assert (await room.spoken())[1:] == [("alice", "Here I am.")]
    assert [speaker(one) for one in model.requests][:3] == ["alice", "alice", "bob"]


async def test_a_rate_limit_is_shared_and_known_and_keeps_the_floor(tmp_path: Path) -> None:
    model = ScriptedModel(script(RateLimited("slow down", retry_after_s=30)))
    async with serving(tmp_path, model) as on:
        room, other = await Room.open(on), await Room.open(on)
        await room.say("@Charlie?")
        found = await room.at_rest()
        paused = "Conversation paused: [{}] failed to respond: {}. Rate limited. Retry in 30s"
        assert await room.told() == [paused.format("Charlie", "slow down")]
        assert found["room"]["rate_limited"]["provider"] == "scripted"
        assert found["room"]["floor"] == ["charlie", "alice", "bob"]
        # The other room has not asked, and is told all the same.
        await other.say("Hello")
        found = await other.at_rest()
        why = "the provider has asked for a pause"
        assert await other.told() == [paused.format("Alice | Architect", why)]
    assert [speaker(one) for one in model.requests] == ["charlie"]


@pytest.mark.parametrize("retry_after_s", [None, 0.5])
@pytest.mark.parametrize("pacing", ["auto", "manual"])
async def test_one_rate_limit_is_one_failure_and_one_try_more_when_a_person_wants_it(
    tmp_path: Path, pacing: str, retry_after_s: float | None
) -> None:
    model = ScriptedModel(script(RateLimited("slow down", retry_after_s=retry_after_s), "Here."))
    async with serving(tmp_path, model) as on:
        room = await Room.open(on, participants=MEMBERS[:1], settings={"pacing": pacing})
        await room.say("Hello")
        found = await room.at_rest()
        assert [speaker(one) for one in model.requests] == ["alice"]
        assert found["room"]["failed"] == ["alice"]
        assert found["room"]["rate_limited"]["until"] > found["created_at"]
        assert found["seq"] < 20
        models = on.system.models
        assert isinstance(models, ScriptedModels)
        models.clock.advance(retry_after_s or 0)  # the gate has a clock of its own here
        await room.call("POST", "participants/alice/retry")
        found = await room.at_rest()
        assert (await room.spoken())[1] == ("alice", "Here.")
        assert found["room"]["rate_limited"] is None


async def test_an_answer_is_given_once_more_and_the_old_one_stays(tmp_path: Path) -> None:
    model = ScriptedModel(script("First.", "SKIP", "SKIP", "Second."))
    async with serving(tmp_path, model) as on:
        room = await Room.open(on, settings={"pacing": "manual"})
        await room.say("Hello")
        found = await room.at_rest()
        await room.settle(*found["pending"])
        await room.at_rest()
        await room.call("POST", "participants/alice/again")
        found = await room.at_rest()
        await room.settle(*found["pending"])
        kept = [(turn["content"], turn["included"]) for turn in await room.turns()]
    assert kept[1:3] == [("First.", False), ("Second.", True)]


# --- State Persistence ----------------------------------------------------------------------------


@pytest.fixture
def start(home: Path, provider: Callable[..., Provider]) -> Iterator[Callable[[], Server]]:
    del home
    running: list[Server] = []
    models = provider()

    def begin() -> Server:
        running.append(Server(models))
        return running[-1]

    yield begin
    for server in running:
        server.process.kill()
        server.process.communicate()


def test_pending_answers_are_there_after_kill_9(start: Callable[[], Server]) -> None:
    server = start()
    body = {"format": "room", "topic": "Tea?", "settings": {"pacing": "manual"}, "start": True}
    debate = server.ask("POST", "/api/debates", body)["id"]
    path = f"/api/debates/{debate}"
    server.ask("POST", f"{path}/messages", {"content": "Hello"})
    before = until_pending(server, path)
    server.end(signal.SIGKILL)
    again = start()
    after = again.ask("GET", path)
    assert after["pending"] == before["pending"]
    assert len(after["pending"]) == 3
    assert after["status"] == "waiting"
    settled = again.ask("POST", f"{path}/pending", {"include": after["pending"][:1]})
    assert settled["pending"] == []


def until_pending(server: Server, path: str) -> Any:
    """The room, once everybody has answered."""
    with closing(server.events(path.rpartition("/")[2])) as events:
        for kind in events:
            if kind == "DebateSuspended":
                found = server.ask("GET", path)
                if len(found["pending"]) == 3:
                    return found
    raise AssertionError(path)


# --- the embedded model ---------------------------------------------------------------------------


@pytest.mark.embedded
@pytest.mark.xdist_group("embedded")
async def test_a_room_is_held_for_real_by_the_embedded_model(tmp_path: Path) -> None:
    pytest.importorskip("xllamacpp")
    async with moot.open(home=tmp_path) as opened:
        debate = await opened.create(
            "Tea or coffee?",
            format="room",
            model="local:smollm2",
            pacing="manual",
            max_tokens=16,
            max_wait=120,
        )
        service = opened.service
        await service.run(debate.id)
        await service.say(debate.id, "Hello, which one?")
        state = await service.run(debate.id)
    assert state.status is Status.WAITING
    answered = [turn for turn in state.turns.values() if turn.said.model]
    assert len(answered) + len(state.failures) == 3
    assert answered
