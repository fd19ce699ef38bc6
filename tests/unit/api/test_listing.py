"""The list through HTTP: who takes part and what came of it, without reading a log."""

from __future__ import annotations

from pathlib import Path

from tests.unit.api.serving import serving

ROSTER = [
    {"name": "Ada", "role": "debater"},
    {"name": "Bo", "role": "debater"},
    {"name": "Jo", "role": "judge"},
]


async def test_a_row_tells_who_takes_part_and_what_came_of_it(tmp_path: Path) -> None:
    async with serving(tmp_path) as on:
        debate = await on.create(participants=ROSTER, start=True)
        whole = await on.until(debate, "completed")
        (row,) = (await on.get("/api/debates"))["items"]
        ada = {"id": "ada", "name": "Ada", "role": "debater", "side": "for", "is_person": False}
        assert row["cast"][0] == ada
        assert [seat["side"] for seat in row["cast"]] == ["for", "against", ""]
        assert (row["cast_size"], row["spoke_last"]) == (3, "bo")
        assert row["outcome"] == {**whole["outcome"], "reasoning": ""}
        assert (row["gist"], row["trust"]) == ("Scored 7 to 7; the judge named Ada", "contested")
        assert (row["forked_from"], row["rematch_of"], row["has_open_cards"]) == ("", "", False)


async def test_a_debate_that_is_not_over_has_no_outcome(tmp_path: Path) -> None:
    async with serving(tmp_path, worker=False) as on:
        await on.create(participants=ROSTER)
        (row,) = (await on.get("/api/debates"))["items"]
        assert (row["outcome"], row["gist"], row["trust"], row["spoke_last"]) == (None, "", "", "")


async def test_a_rematch_says_whose_it_is(tmp_path: Path) -> None:
    async with serving(tmp_path, worker=False) as on:
        debate = await on.create(participants=ROSTER)
        made = await on.client.post(f"/api/debates/{debate}/rematches", json={})
        assert made.status_code == 201, made.text
        rows = {one["id"]: one for one in (await on.get("/api/debates"))["items"]}
        assert rows[made.json()["id"]]["rematch_of"] == debate


async def test_listing_reads_no_log(tmp_path: Path) -> None:
    async with serving(tmp_path) as on:
        debate = await on.create(participants=ROSTER, start=True)
        await on.until(debate, "completed")
    # A worker may take it up once more after its end, and read; here there is none.
    async with serving(tmp_path, worker=False) as on:
        (row,) = (await on.get("/api/debates"))["items"]
        assert row["outcome"]
        assert on.reads == 0
        await on.debate(debate)
        assert on.reads == 1


async def test_the_description_has_the_types_of_a_row(tmp_path: Path) -> None:
    async with serving(tmp_path, worker=False) as on:
        schemas = (await on.get("/openapi.json"))["components"]["schemas"]
        row = schemas["ListedDebate"]["properties"]
        assert (row["gist"]["type"], row["trust"]["type"]) == ("string", "string")
        seats = next(one for one in row["cast"]["anyOf"] if one["type"] == "array")
        assert seats["items"] == {"$ref": "#/components/schemas/Seat"}
        assert schemas["Seat"]["properties"]["role"]
        assert "Verdict" in str(row["outcome"])
