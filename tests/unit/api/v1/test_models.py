"""`/v1/models`: panels, by all their names, and nothing else."""

from __future__ import annotations

from pathlib import Path

import openai
import pytest
from openai.types import Model
from tests.unit.api.v1.desk import desk


async def test_panels_are_the_models(tmp_path: Path) -> None:
    async with desk(tmp_path, listens=True) as at:
        found = (await at.client().models.list()).data
        names = {one.id for one in found}
        assert names >= {"moot/council", "moot/duel", "moot/red-team", "moot/quick"}
        assert all(name.startswith("moot/") for name in names)
        for one in (await at.on.get("/v1/models"))["data"]:
            Model.model_validate(one, strict=True)
        assert await at.debates() == []


async def test_a_panel_is_found_by_every_name(tmp_path: Path) -> None:
    async with desk(tmp_path, listens=True) as at:
        client = at.client()
        for name in (
            "moot/council",
            "moot-council",
            "council",
            "moot/moot-council",
            "Moot/Council",
        ):
            found = await at.on.get(f"/v1/models/{name}")
            assert (found["id"], found["object"]) == ("moot/council", "model")
        assert (await client.models.retrieve("moot/council")).id == "moot/council"
        for name in ("gpt-4o", "moot/", "a/b/c", "openai:gpt-4o"):
            with pytest.raises(openai.NotFoundError):
                await client.models.retrieve(name)


async def test_a_panel_that_is_added_is_there(tmp_path: Path) -> None:
    from moot.api.v1 import models  # noqa: PLC0415 - changed here only

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(models, "FRESH_S", 0.0)
        async with desk(tmp_path) as at:
            text = (tmp_path / "panels" / "quick.yaml").read_text().replace("quick", "newer")
            (tmp_path / "panels" / "newer.yaml").write_text(text)
            assert (await at.on.get("/v1/models/newer"))["id"] == "moot/newer"
