"""Issue 4, "People", "Guidance between rounds" and "Next up", through HTTP and the command line."""

from __future__ import annotations

import json
import signal
import time
import urllib.error
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.acceptance.terminals import PATIENCE_S, Moot, Provider, Terminal, the_id
from tests.acceptance.test_http import judged, turns_of
from tests.acceptance.test_serve import Server
from tests.unit.api.serving import Serving, serving
from tests.unit.engine.bench import key_of

from moot.testing.scripted import ScriptedModel, sensible

ME = {"name": "Ada", "role": "debater", "model": "human"}
BO = {"name": "Bo", "role": "debater"}
JO = {"name": "Jo", "role": "judge"}
FORM = {"score_a": 4, "score_b": 8, "winner": "Bo", "summary": "Bo answered, Ada did not."}


# --- the server is killed while somebody is asked -------------------------------------------------


@pytest.fixture
def start(home: Path, provider: Callable[..., Provider]) -> Iterator[Callable[[], Server]]:
    del home
    model = provider()
    running: list[Server] = []

    def begin() -> Server:
        running.append(Server(model))
        return running[-1]

    yield begin
    for server in running:
        server.process.kill()
        server.process.communicate()


def until(server: Server, debate: str, *statuses: str) -> Any:
    deadline = time.monotonic() + PATIENCE_S
    while time.monotonic() < deadline:
        found = server.ask("GET", f"/api/debates/{debate}")
        if found["status"] in statuses:
            return found
        time.sleep(0.05)
    raise AssertionError(found["status"])


def answer(server: Server, debate: str, answers: dict[str, Any]) -> Any:
    return server.ask("POST", f"/api/debates/{debate}/answers", {"answers": answers})


def refused(server: Server, debate: str, answers: dict[str, Any]) -> tuple[int, str]:
    with pytest.raises(urllib.error.HTTPError) as error:
        answer(server, debate, answers)
    with error.value as response:
        return response.code, str(json.loads(response.read())["detail"])


def test_a_human_debater_in_a_duel_outlives_kill_9(start: Callable[[], Server]) -> None:
    server = start()
    new = {"topic": "Tabs?", "settings": {"turns": 2}, "participants": [ME, BO, JO], "start": True}
    debate = server.ask("POST", "/api/debates", new)["id"]
    found = until(server, debate, "waiting")
    (question,) = found["questions"]
    assert (question["participant"], question["stage"], question["kind"]) == (
        "ada",
        "opening",
        "speak",
    )
    assert question["text"].startswith("You are Ada, a debater.\nThe topic is: Tabs?")
    assert found["upcoming"] == ["ada", "bo", "jo"]
    server.end(signal.SIGKILL)

    server = start()
    assert server.ask("GET", f"/api/debates/{debate}")["questions"] == [question]
    answer(server, debate, {question["id"]: {"text": "Tabs are what I say.", "notes": "Hm."}})
    status, why = refused(server, debate, {question["id"]: "After all, ..."})
    assert (status, "answered already" in why) == (409, True)
    assert "DebateCompleted" in list(server.events(debate))[-2:]
    turns = server.ask("GET", f"/api/debates/{debate}/turns?private=1")["items"]
    mine = [one for one in turns if one["participant"] == "ada"]
    assert [(one["kind"], one["content"]) for one in mine] == [
        ("plan", ""),
        ("think", "Hm."),
        ("speak", "Tabs are what I say."),
    ]
    assert mine[0]["meta"]["flags"] == ["passed"]


def test_a_human_judge_in_rounds_decides_by_form_after_kill_9(start: Callable[[], Server]) -> None:
    server = start()
    people = [{**ME, "model": ""}, BO, {**JO, "model": "human"}]
    del people[0]["model"]
    new = {"format": "rounds", "topic": "Tabs?", "participants": people, "start": True}
    debate = server.ask("POST", "/api/debates", {**new, "settings": {"max_rounds": 1}})["id"]
    (question,) = until(server, debate, "waiting")["questions"]
    fields = {one["name"]: one for one in question["form"]["fields"]}
    assert [one["label"] for one in fields["winner"]["choices"]] == ["Ada", "Bo", "A tie"]
    assert (fields["score_a"]["kind"], fields["score_a"]["maximum"]) == ("number", 10)
    server.end(signal.SIGKILL)

    server = start()
    key = question["id"]
    seq = server.ask("GET", f"/api/debates/{debate}")["seq"]
    assert refused(server, debate, {key: {**FORM, "score_a": 11}})[0] == 422
    assert refused(server, debate, {key: "Bo won."})[0] == 422
    assert refused(server, debate, {key: FORM, "verdict/9/jo/verdict": FORM})[0] == 404
    assert server.ask("GET", f"/api/debates/{debate}")["seq"] == seq
    answer(server, debate, {key: FORM})
    found = until(server, debate, "completed")
    assert (found["outcome"]["winner"], found["outcome"]["scores"]) == ("Bo", {"Ada": 4, "Bo": 8})
    assert refused(server, debate, {key: FORM})[0] == 409
    assert server.ask("GET", f"/api/debates/{debate}")["seq"] == found["seq"]


def test_who_does_not_answer_in_time_has_passed_also_after_kill_9(
    start: Callable[[], Server],
) -> None:
    server = start()
    new = {
        "format": "rounds",
        "topic": "Tabs?",
        "participants": [ME, BO],
        "settings": {"max_rounds": 1, "human_timeout_seconds": 2},
        "start": True,
    }
    debate = server.ask("POST", "/api/debates", new)["id"]
    (question,) = until(server, debate, "waiting")["questions"]
    assert question["expires_at"] is not None
    server.end(signal.SIGKILL)

    server, other = start(), start()  # two that could both notice it
    until(other, debate, "completed")
    turns = server.ask("GET", f"/api/debates/{debate}/turns?private=1")["items"]
    assert [(one["participant"], one["meta"]["flags"]) for one in turns] == [
        ("ada", ["passed", "expired"]),
        ("bo", []),
    ]
    status, why = refused(server, debate, {question["id"]: "Too late."})
    assert (status, "time for it was up" in why) == (409, True)


# --- guidance between rounds ----------------------------------------------------------------------


async def at_checkpoint(on: Serving) -> tuple[str, dict[str, Any]]:
    debate = await on.create(start=True, settings={"max_rounds": 2, "checkpoint": "every_round"})
    (question,) = (await on.until(debate, "waiting"))["questions"]
    return debate, question


async def test_a_private_note_at_a_checkpoint_reaches_one_and_nobody_else(tmp_path: Path) -> None:
    model = ScriptedModel(judged())
    async with serving(tmp_path, model) as on:
        debate, question = await at_checkpoint(on)
        assert (question["participant"], question["kind"], question["round"]) == (
            "user",
            "answer",
            1,
        )
        found = await on.debate(debate)
        assert found["upcoming"] == ["debater_a", "debater_b", "judge"]
        note = {"action": "guide", "note": "CANARY", "to": "debater_b", "visibility": "private"}
        path = f"/api/debates/{debate}/answers"
        for bad in ({**note, "to": "stranger"}, {**note, "note": ""}, {"note": "CANARY"}):
            assert (await on.client.post(path, json={"answers": {question["id"]: bad}})).is_error
        told = await on.client.post(path, json={"answers": {question["id"]: note}})
        assert told.status_code == 200, told.text
        await on.until(debate, "completed")
        public = (await on.get(f"/api/debates/{debate}/turns"))["items"]
        private = [one for one in await turns_of(on, debate) if one["participant"] == "user"]
    readers = {
        key_of(one)
        for one in model.requests
        if any("CANARY" in message.content for message in one.messages)
    }
    assert readers == {"debate/2/debater_b/speak"}
    assert "CANARY" not in json.dumps(public)
    assert [one["content"] for one in private] == ["CANARY"]


async def test_end_at_a_checkpoint_is_the_same_as_end(tmp_path: Path) -> None:
    async with serving(tmp_path, ScriptedModel(judged())) as on:
        debate, question = await at_checkpoint(on)
        body = {"answers": {question["id"]: {"action": "end"}}}
        await on.client.post(f"/api/debates/{debate}/answers", json=body)
        found = await on.until(debate, "completed")
    assert (found["stop_reason"], found["statements"]) == ("ended", 2)
    assert found["outcome"]["winner"] == "Debater A"


# --- speaking unasked -----------------------------------------------------------------------------


async def test_nobody_can_speak_unasked_in_a_duel(tmp_path: Path) -> None:
    async with serving(tmp_path, ScriptedModel()) as on:
        debate = await on.create(format="duel", participants=[ME, BO, JO], start=True)
        before = await on.until(debate, "waiting")
        said = await on.client.post(f"/api/debates/{debate}/messages", json={"content": "But!"})
        assert said.status_code == 409
        assert "nobody can speak without being asked" in said.json()["detail"]
        assert (await on.debate(debate))["seq"] == before["seq"]
        assert "say" not in before["allows"]


async def test_an_observer_of_a_standard_debate_is_heard_by_the_next_speakers(
    tmp_path: Path,
) -> None:
    model = ScriptedModel()
    async with serving(tmp_path, model) as on:
        debate = await on.create(format="standard", participants=[ME, BO], start=True)
        found = await on.until(debate, "waiting")
        path = f"/api/debates/{debate}"
        said = await on.client.post(
            f"{path}/messages", json={"content": "And who\u0007 pays?\u202e"}
        )
        assert said.status_code == 200, said.text
        found = await on.until(debate, "waiting")
        (question,) = found["questions"]
        await on.client.post(f"{path}/answers", json={"answers": {question["id"]: "I do."}})
        found = await on.until(debate, "waiting")
        mine = [one for one in await turns_of(on, debate) if one["participant"] == "user"]
        await on.command(debate, "cancel")
    assert [one["content"] for one in mine] == ["And who pays?"]
    last = model.requests[-1]
    assert key_of(last).split("/")[2] == "bo"
    assert any("[User]: And who pays?" in message.content for message in last.messages)


# --- the command line -----------------------------------------------------------------------------


def test_i_sit_in_the_judges_chair_and_fill_in_the_form_by_options(moot: Moot) -> None:
    run = ("run", "Tabs?", "--format", "rounds", "--set", "max_rounds=1", "--me", "judge")
    assert moot(*run, "--quiet").exit_code == 5
    debate = the_id(moot)
    listed = moot("answer", debate).stdout
    assert "Judge: Give your verdict (verdict/1/judge/verdict)" in listed
    assert "Winner (1 Debater A, 2 Debater B, 3 A tie)" in listed

    def fields(**values: str) -> list[str]:
        return [part for name, one in values.items() for part in ("--field", f"{name}={one}")]

    given = fields(score_a="6", score_b="6", winner="tie", summary="Even.")
    for wrong in (fields(score_a="6"), [*given, "--pass"], [*given[2:], "--field", "score_a=11"]):
        assert moot("answer", debate, *wrong).exit_code == 2
    assert moot("answer", debate, *given).exit_code == 0
    assert moot("resume", debate, "--quiet").exit_code == 0
    assert moot("answer", debate, "verdict/1/judge/verdict", "again").exit_code == 2
    shown = moot("show", debate, "--private").stdout
    assert "Even." in shown


def test_at_the_terminal_a_score_that_will_not_do_is_asked_for_again_and_nothing_else(
    moot: Moot, provider: Callable[..., Provider]
) -> None:
    assert moot("run", "Tabs?", "--me", "judge", "--turns", "1", "--quiet").exit_code == 5
    terminal = Terminal(provider(), "answer", the_id(moot))
    for line in ("4.5\r", "4\r", "It had figures.\r", "\r"):
        terminal.wait_for_prompt()
        terminal.type(line)
    assert terminal.exit_code() == 0
    assert "please try again: Score must be a whole number from 0 to 10" in terminal.seen
    shown = moot("show", the_id(moot), "--private").stdout
    assert "It had figures." in shown


def test_i_join_as_myself_from_a_bare_topic(moot: Moot) -> None:
    assert moot("run", "Tabs?", "--me", "Marisol Vega", "--turns", "1", "--quiet").exit_code == 5
    debate = the_id(moot)
    listed = moot("answer", debate).stdout
    assert "Marisol Vega: " in listed
    assert "You are Marisol Vega, a debater." in listed
    assert "Your side: you argue " in listed
    run = ("run", "Tabs?", "--me", "Tariq", "--as", "judge", "--turns", "1", "--quiet")
    assert moot(*run).exit_code == 5
    judged_ = json.loads(moot("list", "--json", "--limit", "1").stdout.splitlines()[0])["id"]
    assert (
        "Tariq: Give the score so far, from 0 to 10, and say why" in moot("answer", judged_).stdout
    )
    for wrong in (("--as", "judge"), ("--me", " "), ("--me", "A", "--me", "B", "--as", "judge")):
        assert moot("run", "Tabs?", *wrong).exit_code == 2
    nowhere = moot("run", "Tabs?", "--me", "A", "--as", "pope")
    assert nowhere.exit_code == 7
    assert "or a role: debater, judge" in nowhere.stderr


async def test_over_http_i_join_as_myself(tmp_path: Path) -> None:
    async with serving(tmp_path, ScriptedModel()) as on:
        debate = await on.create(format="council", me={"name": "Marisol", "as": "judge"})
        found = (await on.debate(debate))["participants"]
        assert [one["name"] for one in found if one["model"] == "human"] == ["Marisol"]
        body = {"format": "duel", "topic": "Tabs?", "me": {"name": "Marisol", "as": "pope"}}
        refused_ = await on.client.post("/api/debates", json=body)
        assert refused_.status_code in (404, 422)


def test_i_pass_and_it_is_shown_as_passed(moot: Moot) -> None:
    run = ("run", "Tabs?", "--format", "rounds", "--set", "max_rounds=1", "--me", "debater")
    assert moot(*run, "--quiet", "--no-judge").exit_code == 5
    debate = the_id(moot)
    assert moot("answer", debate, "debate/1/debater_a/speak", " ").exit_code == 2
    assert moot("answer", debate, "--pass").exit_code == 0
    assert moot("resume", debate, "--quiet").exit_code == 0
    assert "(passed)" in moot("show", debate).stdout
    assert moot("answer", debate, "--pass").exit_code == 2  # nothing is asked any more
    for kind in ("md", "html", "json", "csv"):
        assert "passed" in moot("export", debate, "--as", kind).stdout or kind == "csv"
    assert moot("say", debate, "But!").exit_code == 2


# --- what is hidden while somebody takes part -----------------------------------------------------


def secretive(request: Any) -> str:
    said = sensible(request)
    return said if request.schema else f"{said} (canary of {key_of(request)})"


def is_told(text: str) -> bool:
    return "canary of planning/1/bo/plan" in text


async def every_view(on: Serving, debate: str) -> list[str]:
    paths = ("", "/turns?private=1", *(f"/export?as={kind}" for kind in ("md", "html", "json")))
    found = [await on.client.get(f"/api/debates/{debate}{path}") for path in (*paths, CSV)]
    return [one.text for one in found]


CSV = "/export?as=csv"


async def test_no_address_shows_what_a_debater_may_not_know_before_the_end(tmp_path: Path) -> None:
    async with serving(tmp_path, ScriptedModel(secretive)) as on:
        debate = await on.create(
            format="duel", settings={"turns": 1}, participants=[ME, BO, JO], start=True
        )
        found = await on.until(debate, "waiting")
        assert (found["is_veiled"], found["has_open_cards"]) == (True, False)
        assert not any(is_told(view) for view in await every_view(on, debate))
        path = f"/api/debates/{debate}"
        async with on.stream(debate, "private=1") as stream:
            while (await on.debate(debate))["status"] == "waiting":
                questions = (await on.debate(debate))["questions"]
                await on.client.post(
                    f"{path}/answers", json={"answers": {one["id"]: "Yes." for one in questions}}
                )
                await on.until(debate, "waiting", "completed")
            frames = await stream.events()
        kinds = [frame.event for frame in frames]
        assert kinds[-2:] == ["DebateCompleted", "unveiled"]
        assert not any(is_told(str(frame.data)) for frame in frames)
        views = await every_view(on, debate)
        assert [is_told(view) for view in views] == [False, True, True, True, True, True]
        async with on.stream(debate, "private=1") as stream:
            assert any(is_told(str(frame.data)) for frame in await stream.events())


async def test_cards_are_opened_once_and_only_where_something_is_hidden(tmp_path: Path) -> None:
    async with serving(tmp_path, ScriptedModel(secretive)) as on:
        debate = await on.create(format="duel", participants=[ME, BO, JO], start=True)
        await on.until(debate, "waiting")
        opened = await on.command(debate, "reveal")
        assert (opened.status_code, opened.json()["has_open_cards"]) == (200, True)
        assert opened.json()["status"] == "waiting"
        assert is_told((await every_view(on, debate))[1])
        seq = (await on.debate(debate))["seq"]
        assert (await on.command(debate, "reveal")).status_code == 409
        assert (await on.debate(debate))["seq"] == seq
        other = await on.create(format="duel", participants=[{**ME, "model": "x:y"}, BO, JO])
        assert (await on.command(other, "reveal")).status_code == 409


def test_at_the_command_line_cards_are_opened_on_purpose(moot: Moot) -> None:
    assert moot("run", "Tabs?", "--turns", "1", "--me", "debater", "--quiet").exit_code == 5
    debate = the_id(moot)
    assert "(hidden)" in moot("show", debate, "--private").stdout
    refused_ = moot("reveal", debate)
    assert refused_.exit_code == 2
    assert "how the judge weighs and scores" in refused_.stderr
    assert "(hidden)" in moot("show", debate, "--private").stdout
    assert moot("reveal", debate, "--yes").exit_code == 0
    assert "(hidden)" not in moot("show", debate, "--private").stdout
    assert moot("reveal", debate, "--yes").exit_code == 2
