"""What README shows is run as it stands."""

from __future__ import annotations

import asyncio
import re
import runpy
from pathlib import Path

import pytest
from tests.acceptance.llama import LAYERS, Weights

import moot
from moot.models.backends import embedded
from moot.protocol.events import AttemptFailed
from moot.protocol.words import Status, StepKind

ROOT = Path(__file__).parents[2]


def program() -> str:
    (found,) = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(), re.DOTALL)
    return str(found)


def test_it_takes_ten_lines() -> None:
    lines = [line for line in program().splitlines() if line.strip()]
    assert len(lines) <= 10


@pytest.mark.embedded
@pytest.mark.xdist_group("embedded")
async def test_it_runs_on_the_embedded_model_with_no_set_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("MOOT_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("MOOT_MODEL", "local:smollm2")
    script = tmp_path / "readme.py"
    # Shorter replies than a reader would want, and of a model with fewer layers, so that the suite
    # stays quick; the whole one holds a room in `test_room`.
    Weights(embedded.weights()).write(tmp_path / "small.gguf", LAYERS)
    monkeypatch.setattr(embedded, "weights", lambda: tmp_path / "small.gguf")
    # Another test in this process may have loaded the whole one, which is shared while it is kept.
    monkeypatch.setattr(embedded, "_SHARED", embedded._Shared())
    script.write_text(program().replace("turns=2", "turns=1, max_tokens=16"))
    await asyncio.to_thread(runpy.run_path, str(script), run_name="__main__")
    printed = capsys.readouterr().out
    assert printed.count("(plan)") == 2
    assert printed.count("(speak)") == 1
    assert "Verdict(status=" in printed
    async with moot.open(home=tmp_path / "home") as m:
        (row,) = (await m.service.list()).items
        debate = await m.get(row.id)
        assert debate.status is Status.COMPLETED, debate.state.failure
        assert debate.state.usage.output_tokens > 0
        assert all(turn.content.strip() for turn in debate.turns if turn.kind is StepKind.SPEAK)
        tried = [one.event for one in await m.service.log(debate.id)]
        failed = [event for event in tried if isinstance(event, AttemptFailed)]
        assert {event.code for event in failed} <= {"unreadable"}
