"""A fork is no way to see what a person who still plays the original may not know."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.acceptance.terminals import Moot, the_id
from tests.acceptance.test_people import BO, JO, ME, every_view, is_told, secretive
from tests.unit.api.serving import Serving, serving

from moot.cli.view.debate import print_transcript
from moot.testing.scripted import ScriptedModel, sensible

MODEL = "scripted:debater"


async def waiting(on: Serving) -> str:
    debate = await on.create(
        format="duel", settings={"turns": 1}, participants=[ME, BO, JO], start=True
    )
    await on.until(debate, "waiting")
    return debate


async def forked(on: Serving, debate: str, **models: str) -> str:
    body = {"changes": {"models": models}}
    made = await on.client.post(f"/api/debates/{debate}/forks", json=body)
    assert made.status_code == 201, made.text
    return str(made.json()["id"])


async def streamed(on: Serving, debate: str) -> str:
    async with on.stream(debate, "private=1") as stream:
        return "".join(str(frame.data) for frame in await stream.events())


async def pass_all(on: Serving, debate: str) -> None:
    while (found := await on.debate(debate))["status"] == "waiting":
        answers = {one["id"]: "Yes." for one in found["questions"]}
        await on.client.post(f"/api/debates/{debate}/answers", json={"answers": answers})
        await on.until(debate, "waiting", "completed")


async def test_a_fork_has_made_no_calls_and_names_every_debate_whose_cards_hide_something(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    async with serving(tmp_path, ScriptedModel(secretive)) as on:
        debate = await waiting(on)
        played, watched = await forked(on, debate), await forked(on, debate, ada=MODEL)
        service = on.system.service
        assert await service.veiled_by(played) == [debate, played]
        assert await service.veiled_by(watched) == [debate]
        for fork in (played, watched):
            log, veiled_by = await service.shown(fork), await service.veiled_by(fork)
            print_transcript(fork, log, with_private=True, veiled_by=veiled_by)
            shown = capsys.readouterr()
            assert "\n0 calls · 0 tokens in, 0 out · free" in shown.out
            reveal = ", then: ".join(f"moot reveal {one}" for one in veiled_by)
            assert shown.err.endswith(f"to see it now: {reveal}\n")
        for one in (debate, played):
            await service.reveal(one)
        assert await service.veiled_by(played) == []


async def test_a_fork_in_which_a_model_has_the_chair_shows_no_more_than_the_original(
    tmp_path: Path,
) -> None:
    async with serving(tmp_path, ScriptedModel(secretive)) as on:
        debate = await waiting(on)
        fork = await forked(on, debate, ada=MODEL)
        assert not any(is_told(view) for view in await every_view(on, fork))
        await on.command(fork, "resume")
        found = await on.until(fork, "completed")

        assert found["is_veiled"]
        assert found["outcome"]  # of the fork's own: nobody in the original is owed it
        views = [*await every_view(on, fork), await streamed(on, fork)]
        assert not any(is_told(view) for view in views)
        assert not any("canary of exchange/1/bo/think" in view for view in views)
        assert any("canary of opening/1/ada/speak" in view for view in views)
        turns = await on.client.get(f"/api/debates/{fork}/turns?private=1")
        refused = await on.command(fork, "reveal")
        assert (refused.status_code, debate in refused.json()["detail"]) == (409, True)

        await pass_all(on, debate)
        assert is_told((await every_view(on, fork))[1])
        # No tag outlives what another debate decides.
        tag = {"If-None-Match": turns.headers.get("ETag", "none")}
        again = await on.client.get(f"/api/debates/{fork}/turns?private=1", headers=tag)
        assert (again.status_code, is_told(again.text)) == (200, True)
        assert not (await on.debate(fork))["is_veiled"]


async def test_neither_the_end_of_a_fork_nor_its_open_cards_nor_a_fork_of_it_show_more(
    tmp_path: Path,
) -> None:
    async with serving(tmp_path, ScriptedModel(secretive)) as on:
        debate = await waiting(on)
        over, opened = await forked(on, debate), await forked(on, debate)
        assert (await on.command(over, "cancel")).status_code == 200
        assert (await on.command(opened, "reveal")).status_code == 200
        further = await forked(on, opened, ada=MODEL)
        assert (await on.command(opened, "cancel")).status_code == 200
        assert not any(is_told(view) for view in await every_view(on, opened))
        assert (await on.client.delete(f"/api/debates/{opened}")).status_code == 204
        for one in (over, further):
            assert not any(is_told(view) for view in await every_view(on, one))

        refused = await on.command(further, "reveal")
        assert (refused.status_code, debate in refused.json()["detail"]) == (409, True)
        assert (await on.command(debate, "reveal")).status_code == 200
        for one in (over, further):
            assert is_told((await every_view(on, one))[1])


async def test_a_fork_that_shares_no_turn_hides_nothing(tmp_path: Path) -> None:
    async with serving(tmp_path, ScriptedModel(secretive)) as on:
        debate = await waiting(on)
        body = {"at": 1, "changes": {"models": {"ada": MODEL}}}
        made = (await on.client.post(f"/api/debates/{debate}/forks", json=body)).json()
        await on.command(made["id"], "start")
        found = await on.until(made["id"], "completed")
        assert not found["is_veiled"]
        assert is_told((await every_view(on, made["id"]))[1])


async def test_what_comes_of_proposals_that_are_hidden_is_hidden_too(tmp_path: Path) -> None:
    members = [{**one, "role": "member"} for one in (ME, BO, {"name": "Cy"})]
    async with serving(tmp_path, ScriptedModel(_proposing)) as on:
        debate = await on.create(
            format="council", settings={"rounds": 1}, participants=members, start=True
        )
        assert _owes_a_proposal(await on.until(debate, "waiting"))
        fork = await forked(on, debate, ada=MODEL)
        await on.command(fork, "resume")
        found = await on.until(fork, "completed")

        views = [*await every_view(on, fork), await streamed(on, fork)]
        assert found["outcome"] is None
        assert not [view for view in views if "canary" in view]
        await _assert_listed_without_outcome(on, fork)
        over = await on.client.get("/api/debates?status=completed")
        discussed = await on.client.post(f"/api/debates/{fork}/rooms")
        assert discussed.status_code == 409, discussed.text
        assert (await on.command(debate, "cancel")).status_code == 200
        assert (await on.debate(fork))["outcome"]
        assert "canary" in (await every_view(on, fork))[1]
        (listed,) = await _listed(on, fork)
        assert (listed["outcome"]["type"], listed["forked_from"]) == ("solution", debate)
        assert "canary" in listed["gist"]
        tag = {"If-None-Match": over.headers["ETag"]}
        again = await on.client.get("/api/debates?status=completed", headers=tag)
        assert (again.status_code, "canary" in again.text) == (200, True)


async def _listed(on: Serving, debate: str) -> list[Any]:
    items = (await on.get("/api/debates"))["items"]
    return [one for one in items if one["id"] == debate]


async def _assert_listed_without_outcome(on: Serving, fork: str) -> None:
    page = await on.client.get("/api/debates")
    assert "canary" not in page.text
    (listed,) = await _listed(on, fork)
    assert (listed["status"], listed["outcome"]) == ("completed", None)
    assert (listed["gist"], listed["trust"]) == ("", "")
    assert [seat["name"] for seat in listed["cast"]][:2] == ["Ada", "Bo"]
    service = on.system.service
    rows = [*(await service.list()).items, await service.summary(fork)]
    rows.append(await service.rename(fork, "Ours"))
    assert not [row for row in rows if row.id == fork and row.outcome]
    tag = {"If-None-Match": (await on.client.get("/api/debates")).headers["ETag"]}
    assert (await on.client.get("/api/debates", headers=tag)).status_code == 304


def _owes_a_proposal(found: Any) -> bool:
    return any(one["kind"] == "propose" for one in found["questions"])


def _proposing(request: Any) -> str:
    return sensible(request).replace(': "text', ': "canary')


def test_at_the_command_line_a_fork_shows_no_more_either(moot: Moot) -> None:
    run = ("run", "Tabs?", "--turns", "1", "--me", "debater", "--quiet", "--seed", "3")
    assert moot(*run, script=secretive).exit_code == 5
    debate = the_id(moot)
    log = [json.loads(line) for line in moot("show", debate, "--json").stdout.splitlines()]
    roster = log[0]["data"]["config"]["participants"]
    me, other = (one["id"] for one in roster[:2])
    fork = moot("fork", debate, "--model", f"{me}=x:y").stdout.strip()
    canary = f"canary of planning/1/{other}/plan"
    played = moot("resume", fork, script=secretive)
    assert played.exit_code == 0, played.output
    shown = moot("show", fork, "--private")
    assert f"moot reveal {debate}" in shown.stderr
    views = [
        played.output,
        shown.output,
        moot("show", fork, "--private", "--json").output,
        moot("watch", fork, "--json").output,
        *(moot("export", fork, "--as", kind).output for kind in ("md", "html", "json", "csv")),
    ]
    assert not [view for view in views if canary in " ".join(view.split())]
    assert "until the debate that this one was forked from is over" in views[4]
    assert moot("cancel", debate).exit_code == 0
    assert canary in " ".join(moot("show", fork, "--private").stdout.split())
