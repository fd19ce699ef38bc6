"""Calls of tools, as hosts make them: they come back in time, and no debate is lost or doubled."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import msgspec
import pytest
from mcp_types import ElicitResult
from tests.unit.engine.bench import HeldModel
from tests.unit.mcp.hosts import (
    BIG_CALLS,
    COUNCIL,
    DEEP,
    OLD,
    PROTOCOLS,
    Person,
    answered,
    fields,
    opened,
    panel,
    text,
)

from moot.engine.creation import NewDebate
from moot.errors import KeyRefused, NoModel
from moot.models.port import Caller
from moot.protocol.words import Status
from moot.testing.scripted import ScriptedModel, ScriptedModels, sensible


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize("has_forms", [True, False])
async def test_a_council_that_asks_is_answered(
    tmp_path: Path, protocol: str, has_forms: bool
) -> None:
    person = Person() if has_forms else None
    async with opened(tmp_path) as moot, moot.host(protocol, person) as client:
        first = await client.call_tool("ask_council", DEEP)
        assert fields(first)["status"] == ("completed" if has_forms else "waiting")
        found = await answered(client, first)
        assert found["result"]
        assert found["debate"] == await moot.the_debate()
        log = await moot.system.service.log(found["debate"])
        assert "Yes, on one machine." in str(log)
        assert person is None or len(person.forms) == 1


async def test_every_field_is_in_the_text_too(tmp_path: Path) -> None:
    async with opened(tmp_path) as moot, moot.host() as client:
        waiting = await client.call_tool("ask_council", DEEP)
        found = fields(waiting)
        (question,) = found["questions"]
        for told in (found["debate"], "waiting", question["id"], question["text"], found["next"]):
            assert told in text(waiting)
        over = await client.call_tool("ask_council", COUNCIL)
        found = fields(over)
        assert set(found) == {"debate", "status", "progress", "result", "next"}
        assert found["progress"]["done"] == found["progress"]["of"] == 16
        assert found["result"] in text(over)


async def test_where_it_came_from_is_recorded(tmp_path: Path) -> None:
    async with opened(tmp_path) as moot, moot.host() as client:
        await client.call_tool("ask_council", COUNCIL)
        origin = (await moot.system.service.state(await moot.the_debate())).config.origin
        assert origin is not None
        assert (origin.door, origin.panel, origin.client) == ("mcp", "council", "a host")
        assert origin.fingerprint
        assert len((await moot.system.service.list(door="mcp")).items) == 1


# --- time ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("protocol", PROTOCOLS)
async def test_a_council_outlives_hosts_that_give_up_sooner(tmp_path: Path, protocol: str) -> None:
    """31 calls, of which those in a row alone take longer than any call may."""
    model = ScriptedModel(latency_s=0.15)
    wait_s, limit_s = 0.2, 20.0
    async with opened(tmp_path, model) as moot, moot.host(protocol) as client:
        wanted = {"question": "Why?", "panel": panel(tmp_path), "wait_seconds": wait_s}
        found = fields(await client.call_tool("ask_council", wanted, limit_s))
        calls = 1
        while found["status"] == "running":
            calls += 1
            status = {"debate": found["debate"], "wait_seconds": wait_s}
            found = fields(await client.call_tool("status", status, limit_s))
        assert (found["status"], bool(found["result"])) == ("completed", True)
        assert calls > 1
        assert await moot.calls() == len(model.requests) == BIG_CALLS
        assert await moot.debates() == [found["debate"]]


async def test_a_call_says_how_far_it_is_and_what_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("moot.mcp.tools.BEAT_S", 0.02)
    model = HeldModel()
    told: list[tuple[float, float | None, str | None]] = []
    heard = asyncio.Event()

    async def tell(progress: float, total: float | None = None, message: str | None = None) -> None:
        told.append((progress, total, message))
        if len(told) == 3:
            heard.set()
            model.open()

    async with opened(tmp_path, model) as moot, moot.host() as client:
        await client.call_tool("ask_council", COUNCIL, progress_callback=tell)
        assert heard.is_set()
    assert [one for one, *_ in told] == sorted({one for one, *_ in told})
    assert told[0][1:] == (18, "Pragmatist is writing a proposal, and 2 more at work")


async def test_a_cancelled_call_ends_the_waiting_and_not_the_debate(tmp_path: Path) -> None:
    model = HeldModel()
    async with opened(tmp_path, model) as moot, moot.host() as client:
        calling = asyncio.create_task(client.call_tool("ask_council", COUNCIL))
        while not model.in_flight:  # noqa: ASYNC110 - three calls come, in any order
            await asyncio.sleep(0)
        calling.cancel()
        await asyncio.gather(calling, return_exceptions=True)
        debate = await moot.the_debate()
        assert (await moot.system.service.state(debate)).status is Status.RUNNING
        model.open()
        assert fields(await client.call_tool("status", {"debate": debate}))["result"]
        assert not model.dropped


async def test_it_is_stopped_when_told_to_and_goes_on_when_asked(tmp_path: Path) -> None:
    model = HeldModel()
    async with opened(tmp_path, model) as moot, moot.host() as client:
        found = fields(await client.call_tool("ask_council", {**COUNCIL, "wait_seconds": 0}))
        assert found["status"] == "running"
        debate = {"debate": found["debate"]}
        stop = {**debate, "stop": True, "wait_seconds": 0}
        assert fields(await client.call_tool("status", stop))["status"] in ("stopping", "stopped")
        model.open()
        found = fields(await client.call_tool("status", {**debate, "stop": True}))
        assert found["status"] == "stopped"
        assert "go on" in found["next"]
        assert fields(await client.call_tool("status", debate))["status"] == "completed"
        assert await moot.calls() == 16


async def test_what_somebody_has_only_prepared_is_not_started(tmp_path: Path) -> None:
    async with opened(tmp_path) as moot, moot.host() as client:
        fields(await client.call_tool("ask_council", COUNCIL))
        config = (await moot.system.service.state(await moot.the_debate())).config
        new = NewDebate(topic="Later", format="council", participants=config.participants)
        prepared = await moot.system.service.create(new)
        found = fields(await client.call_tool("status", {"debate": prepared}))
        assert (found["status"], found["progress"]["done"]) == ("created", 0)


# --- once ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("protocol", PROTOCOLS)
async def test_a_host_that_makes_every_call_three_times_pays_once(
    tmp_path: Path, protocol: str
) -> None:
    model = ScriptedModel()
    async with opened(tmp_path, model) as moot, moot.host(protocol) as client:

        async def thrice(tool: str, arguments: dict[str, Any]) -> Any:
            at_once = (client.call_tool(tool, arguments) for _ in range(2))
            first, _ = await asyncio.gather(*at_once)
            again = await client.call_tool(tool, arguments)
            assert fields(again)["debate"] == fields(first)["debate"]
            return fields(again)

        found = await thrice("ask_council", DEEP)
        answers = {one["id"]: "Yes." for one in found["questions"]}
        found = await thrice("answer", {"debate": found["debate"], "answers": answers})
        assert (await thrice("status", {"debate": found["debate"]}))["result"] == found["result"]
        assert await moot.debates() == [found["debate"]]
        assert len(model.requests) == await moot.calls()


async def test_the_same_question_is_another_one_when_it_is_old_or_to_be_fresh(
    tmp_path: Path,
) -> None:
    ahead = [timedelta()]
    async with (
        opened(tmp_path, now=lambda: datetime.now(UTC) + ahead[0]) as moot,
        moot.host() as client,
    ):

        async def debate(**more: Any) -> str:
            found = fields(await client.call_tool("ask_council", {**COUNCIL, **more}))
            return str(found["debate"])

        first = await debate()
        assert await debate(wait_seconds=3) == first
        assert await debate(panel=None) == first
        other = await debate(question="Something else?")
        fresh = await debate(fresh=True)
        assert len({first, other, fresh}) == 3
        assert await debate() == fresh
        ahead[0] = timedelta(minutes=11)
        assert await debate() not in (first, other, fresh)
        assert len(await moot.debates()) == 4


async def test_a_result_that_nobody_was_given_is_kept_for_who_asks_again(tmp_path: Path) -> None:
    async with (
        opened(tmp_path, now=lambda: datetime.now(UTC) + timedelta(days=2)) as moot,
        moot.host() as client,
    ):
        left = fields(await client.call_tool("ask_council", {**COUNCIL, "wait_seconds": 0}))
        assert moot.system.asker is not None
        await moot.system.asker.wait(left["debate"], seconds=20)
        found = fields(await client.call_tool("ask_council", COUNCIL))
        assert (found["debate"], found["status"]) == (left["debate"], "completed")


# --- questions -----------------------------------------------------------------------------------


@pytest.mark.parametrize("protocol", PROTOCOLS)
async def test_who_declines_passes_and_who_looks_away_is_asked_later(
    tmp_path: Path, protocol: str
) -> None:
    actions = iter(["cancel", "decline"])
    person = Person(lambda _: ElicitResult(action=next(actions)))  # type: ignore[arg-type]
    async with opened(tmp_path) as moot, moot.host(protocol, person) as client:
        found = fields(await client.call_tool("ask_council", DEEP))
        assert (found["status"], len(found["questions"])) == ("waiting", 1)
        found = fields(await client.call_tool("status", {"debate": found["debate"]}))
        assert found["status"] == "completed"
        assert await moot.the_debate() == found["debate"]


async def test_a_person_who_does_not_answer_holds_no_call_up(tmp_path: Path) -> None:
    class Asleep(Person):
        async def __call__(self, *given: Any) -> ElicitResult:
            await super().__call__(*given)
            return await asyncio.get_running_loop().create_future()  # type: ignore[no-any-return]

    person = Asleep()
    async with opened(tmp_path) as moot, moot.host(OLD, person) as client:
        found = fields(await client.call_tool("ask_council", {**DEEP, "wait_seconds": 0}))
        debate = {"debate": found["debate"], "wait_seconds": 0.5}
        while not person.forms:
            found = fields(await client.call_tool("status", debate))
        assert found["status"] == "waiting"
        found = await answered(client, await client.call_tool("answer", _yes(found)))
        assert found["result"]


def _yes(found: dict[str, Any]) -> dict[str, Any]:
    answers = {one["id"]: "Yes." for one in found["questions"]}
    return {"debate": found["debate"], "answers": answers}


async def test_an_answer_to_nothing_is_refused_and_changes_nothing(tmp_path: Path) -> None:
    async with opened(tmp_path) as moot, moot.host() as client:
        found = fields(await client.call_tool("ask_council", DEEP))
        before = await moot.system.service.log(found["debate"])
        debate = {"debate": found["debate"]}
        wrong = await client.call_tool("answer", {**debate, "answers": {"nope": "x"}})
        assert wrong.is_error
        (question,) = found["questions"]
        assert f"no open question 'nope'; open now: {question['id']}" in text(wrong)
        assert (await client.call_tool("answer", {**debate, "answers": {}})).is_error
        assert await moot.system.service.log(found["debate"]) == before
        await answered(client, await client.call_tool("answer", _yes(found)))
        other = {**debate, "answers": {question["id"]: "No."}}
        refused = await client.call_tool("answer", other)
        assert refused.is_error
        assert "answered already" in text(refused)


async def test_a_text_alone_answers_the_only_question_and_a_follow_up_is_told_it(
    tmp_path: Path,
) -> None:
    async with opened(tmp_path) as moot, moot.host() as client:
        found = fields(await client.call_tool("ask_council", DEEP))
        sent = {"debate": found["debate"], "answers": "Yes, on one machine."}
        await answered(client, await client.call_tool("answer", sent))
        late = await client.call_tool("answer", sent)
        assert "no open questions" in text(late)
        state = await moot.system.service.state(found["debate"])
        assert state.turns[found["questions"][0]["id"]].said.content == "Yes, on one machine."
        more = {"question": "And then?", "panel": "duel", "after": found["debate"][:8]}
        next_one = fields(await client.call_tool("ask_council", {**more, "wait_seconds": 0}))
        config = (await moot.system.service.state(next_one["debate"])).config
        assert config.follows == found["debate"]


async def test_answers_that_are_json_in_a_text_are_read_by_question(tmp_path: Path) -> None:
    async with opened(tmp_path) as moot, moot.host() as client:
        found = fields(await client.call_tool("ask_council", DEEP))
        sent = _yes(found)
        written = msgspec.json.encode(sent["answers"]).decode()
        await answered(client, await client.call_tool("answer", {**sent, "answers": written}))
        state = await moot.system.service.state(found["debate"])
        assert state.turns[found["questions"][0]["id"]].said.content == "Yes."


# --- what cannot be done -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("tool", "arguments", "told"),
    [
        ("ask_council", {"question": " "}, "question: must not be blank"),
        ("ask_council", {"question": "\x1b[0m\0"}, "question: must not be blank"),
        ("debate", {"topic": "\0"}, "topic: must not be blank"),
        ("ask_council", {"question": "x", "after": "nope"}, "list_debates shows what there is"),
        ("ask_council", {"question": "x", "panel": "nope"}, "there is no panel called 'nope'"),
        ("ask_council", {"question": "x", "files": ["a.md"]}, "MOOT_CONTEXT_ROOT"),
        (
            "ask_council",
            {"question": "x", "files": [{"name": "../a", "content": "x"}]},
            "files.0.name",
        ),
        ("ask_council", {"question": "x", "wait_seconds": "long"}, "must be a number of seconds"),
        ("ask_council", {"question": "x", "shards": 3}, "there is no argument 'shards'; use quest"),
        ("ask_council", {"question": "x", "exclude_models": ["*"]}, "exclude_models: leaves no"),
        ("debate", {"topic": "x", "format": "room"}, "has no end"),
        ("debate", {"topic": "x", "format": "council", "turns": 3}, "turns: "),
        ("status", {"debate": "nope"}, "there is no debate 'nope'; list_debates shows"),
        ("answer", {"debate": "nope", "answers": {"x": "y"}}, "there is no debate 'nope'"),
        ("list_debates", {"limit": 0}, "limit: must be a whole number from 1 to 50"),
    ],
)
async def test_what_cannot_be_used_is_refused_and_nothing_is_made(
    tmp_path: Path, tool: str, arguments: dict[str, Any], told: str
) -> None:
    async with opened(tmp_path) as moot, moot.host() as client:
        refused = await client.call_tool(tool, arguments)
        assert refused.is_error
        assert told in text(refused)
        assert ".yaml" not in text(refused)
        assert await moot.debates() == []


class NoModels(ScriptedModels):
    """A machine on which nothing is set up."""

    def default(self, *, is_judge: bool) -> str:
        raise NoModel("there is no model: set OPENAI_API_KEY, for example")

    def get(self, name: str) -> Caller:
        raise NoModel("there is no model: set OPENAI_API_KEY, for example")


async def test_without_any_model_the_handshake_succeeds_and_tools_say_what_to_set(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tests.unit.mcp.hosts.ScriptedModels", NoModels)
    async with opened(tmp_path) as moot, moot.host() as client:
        assert (await client.list_tools()).tools
        refused = await client.call_tool("ask_council", COUNCIL)
        assert refused.is_error
        assert "OPENAI_API_KEY" in text(refused)
        assert await moot.debates() == []


async def test_a_debate_that_fails_says_why_and_goes_on_once_that_is_mended(
    tmp_path: Path,
) -> None:
    is_mended = False

    def script(request: Any) -> Any:
        return sensible(request) if is_mended else KeyRefused("the key is wrong")

    async with opened(tmp_path, ScriptedModel(script)) as moot, moot.host() as client:
        found = fields(await client.call_tool("ask_council", COUNCIL))
        assert found["status"] == "failed"
        assert "the key is wrong" in found["failure"]
        is_mended = True
        found = fields(await client.call_tool("ask_council", COUNCIL))
        assert found["status"] == "completed"
        assert await moot.debates() == [found["debate"]]


async def test_an_accident_tells_nothing_of_the_inside(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    async with opened(tmp_path) as moot, moot.host() as client:

        async def broken(*_: Any, **__: Any) -> Any:
            raise RuntimeError("the inside")

        monkeypatch.setattr(moot.system.service, "list", broken)
        refused = await client.call_tool("list_debates", {})
        assert refused.is_error
        assert "the inside" not in text(refused)
        with pytest.raises(Exception, match="there is no tool 'nope'"):
            await client.call_tool("nope", {})
