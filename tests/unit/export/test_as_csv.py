from __future__ import annotations

import csv
import io

import msgspec
import pytest
from tests.unit.export import samples

from moot.export import render
from moot.export.as_csv import COLUMNS
from moot.protocol.words import StepKind


def rows(log: samples.Log) -> list[dict[str, str]]:
    text = render(log, "csv", debate_id="d")
    return list(csv.DictReader(io.StringIO(text, newline=""), strict=True))


def test_has_a_header_and_a_row_per_turn() -> None:
    found = rows(samples.log())
    assert tuple(found[0]) == COLUMNS
    assert len(found) == 22
    assert found[3]["content"] == "Words of opening/1/a/speak."
    assert (found[3]["name"], found[3]["stance"], found[3]["visibility"]) == (
        "Ada",
        "pro",
        "public",
    )
    assert found[5]["score"] == "7"


def test_ends_lines_as_rfc_4180_says_and_keeps_those_inside_cells() -> None:
    text = 'a "quote",\r\nand\nlines'
    log = samples.log(replies={StepKind.SPEAK: text})
    assert render(log, "csv", debate_id="d").startswith(",".join(COLUMNS) + "\r\n")
    assert rows(log)[3]["content"] == text


@pytest.mark.parametrize("start", ["=", "+", "-", "@", "\t", "\r", "\n", "＝"])  # noqa: RUF001
def test_never_starts_a_cell_with_a_formula(start: str) -> None:
    attack = f'{start}HYPERLINK("http://evil","x")'
    parties = msgspec.structs.replace(samples.A, name=attack, model=attack)
    log = samples.log(
        samples.config(parties, samples.B, samples.J),
        {StepKind.SPEAK: attack, StepKind.SCORE: attack},
    )
    for row in rows(log):
        assert not any(cell.startswith(start) for cell in row.values())
    assert rows(log)[3]["content"] == "'" + attack


def test_leaves_the_score_empty_where_none_could_be_read() -> None:
    assert {row["score"] for row in rows(samples.log(replies={StepKind.SCORE: "seven"}))} == {""}
