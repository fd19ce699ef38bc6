"""Importing debates, and the samples, over HTTP."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from tests.unit.api.serving import Serving, serving

from moot.definitions import samples
from moot.engine.counting import COUNTED
from moot.errors import NoModel
from moot.export import render
from moot.models.port import Caller
from moot.protocol.vocabulary import FORKED_ORIGINS, ORIGINS

SAMPLE, FILE = ORIGINS["import/sample"], ORIGINS["import/file"]


@pytest.fixture
async def on(tmp_path: Path) -> AsyncIterator[Serving]:
    async with serving(tmp_path) as opened:
        yield opened


async def finished(on: Serving) -> str:
    debate = await on.create(
        start=True, attachments=[{"name": "notes.md", "content": "Bees\n"}], settings={}
    )
    await on.until(debate, "completed")
    return debate


async def log_of(on: Serving, debate: str) -> bytes:
    answer = await on.client.get(f"/api/debates/{debate}/export?as=log")
    assert answer.status_code == 200, answer.text
    return answer.content


async def test_a_debate_is_imported_once_and_says_so_for_good(on: Serving) -> None:
    source = await finished(on)
    data = await log_of(on, source)
    before = dict(on.system.live.counts)
    first = await on.client.post("/api/imports", content=data)
    assert first.status_code == 201, first.text
    made = first.json()
    assert first.headers["Location"] == f"/api/debates/{made['id']}"
    assert made["id"] != source
    assert (made["origin"]["door"], made["origin"]["kind"]) == ("import", "file")
    assert made["origin"]["debate"] == source
    assert made["provenance"] == FILE
    again = await on.client.post("/api/imports", content=data)
    assert (again.status_code, again.json()["id"]) == (200, made["id"])
    carried = await on.client.post("/api/imports", content=await log_of(on, made["id"]))
    assert (carried.status_code, carried.json()["id"]) == (200, made["id"])
    rows = {row["id"]: row["origin"] for row in (await on.get("/api/debates"))["items"]}
    assert rows == {source: "", made["id"]: "import/file"}
    assert await on.service.files(made["id"]) == await on.service.files(source)
    # What it had cost there is told, and was not spent here.
    assert made["usage"]["output_tokens"] > 0
    assert {name: on.system.live.counts[name] for name in COUNTED} == before


async def test_one_that_was_deleted_can_be_imported_again(on: Serving) -> None:
    data = await log_of(on, await finished(on))
    made = (await on.client.post("/api/imports", content=data)).json()["id"]
    assert (await on.client.delete(f"/api/debates/{made}")).status_code == 204
    assert (await on.client.post("/api/imports", content=data)).status_code == 201


async def test_a_bad_file_is_refused_with_its_line_and_changes_nothing(on: Serving) -> None:
    data = await log_of(on, await finished(on))
    answer = await on.client.post("/api/imports", content=data.replace(b'"seq":5', b'"seq":6', 1))
    assert answer.status_code == 422
    assert "line 6: event 5 is expected here" in answer.json()["detail"]
    assert (await on.client.post("/api/imports", content=b"")).status_code == 422
    large = await on.client.post("/api/imports", content=b"x" * 8_000_001)
    assert (large.status_code, large.json()["code"]) == (413, "body_too_large")
    assert len((await on.get("/api/debates"))["items"]) == 1


async def test_no_log_is_exported_that_somebody_may_not_know(on: Serving) -> None:
    debate = await on.create(start=True, format="duel", me={"name": "Kim", "as": "con"})
    await on.until(debate, "waiting")
    answer = await on.client.get(f"/api/debates/{debate}/export?as=log")
    assert (answer.status_code, answer.json()["code"]) == (409, "refused")
    assert "always exported whole" in answer.json()["detail"]
    await on.command(debate, "cancel")
    assert (await on.client.get(f"/api/debates/{debate}/export?as=log")).status_code == 200


async def test_opens_a_sample_which_no_model_said(on: Serving) -> None:
    page = await on.get("/api/samples")
    names = [one["name"] for one in page["items"]]
    assert names == [one.name for one in samples.shipped()]
    first = await on.client.post("/api/samples/separate-accounts")
    assert first.status_code == 201, first.text
    made = first.json()
    assert (made["origin"]["kind"], made["provenance"]) == ("sample", SAMPLE)
    assert made["headline"] == "Tobias Wren wins"
    again = await on.client.post("/api/samples/separate-accounts")
    assert (again.status_code, again.json()["id"]) == (200, made["id"])
    missing = await on.client.post("/api/samples/nothing")
    assert (missing.status_code, "housework" in missing.text) == (404, True)


async def test_only_ours_is_ever_called_a_sample(on: Serving) -> None:
    shipped = samples.read("same-place")
    text = render(shipped.named("sample"), "log", debate_id="x")
    ours = (await on.client.post("/api/imports", content=text.encode())).json()
    assert ours["origin"]["kind"] == "sample"
    other = text.replace("Train guard", "Liar")
    theirs = (await on.client.post("/api/imports", content=other.encode())).json()
    assert (theirs["origin"]["kind"], theirs["provenance"]) == ("file", FILE)


async def test_a_sample_is_held_once_more_by_models(on: Serving) -> None:
    sample = (await on.client.post("/api/samples/separate-accounts")).json()["id"]
    answer = await on.client.post(f"/api/debates/{sample}/rematches", json={"start": True})
    assert answer.status_code == 201, answer.text
    made = await on.until(answer.json()["id"], "completed")
    assert (made["origin"], made["provenance"], made["rematch_of"]) == (None, "", sample)
    assert {one["model"] for one in made["participants"]} == {"scripted:debater", "scripted:judge"}


async def test_a_sample_is_discussed_and_not_forked_by_models_that_there_are_not(
    on: Serving,
) -> None:
    council = (await on.client.post("/api/samples/library-hours")).json()["id"]
    room = await on.client.post(f"/api/debates/{council}/rooms")
    assert (room.status_code, room.json()["participants"][0]["model"]) == (201, "scripted:debater")
    # Here every name is a model; elsewhere this one is none.
    on.system.models.get = _none  # type: ignore[method-assign]
    fork = await on.client.post(f"/api/debates/{council}/forks", json={})
    assert (fork.status_code, fork.json()["code"]) == (409, "refused")
    assert "Seun Bello used sample:written" in fork.json()["detail"]


def _none(name: str) -> Caller:
    raise NoModel(name)


async def test_a_fork_of_an_import_says_how_it_begins(on: Serving) -> None:
    data = await log_of(on, await finished(on))
    source = (await on.client.post("/api/imports", content=data)).json()["id"]
    fork = await on.client.post(f"/api/debates/{source}/forks", json={})
    assert fork.status_code == 201, fork.text
    assert fork.json()["provenance"] == FORKED_ORIGINS["import/file"]
