"""`-o FILE`: whole or not at all, and refused before anything is spent."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from moot.cli import output
from moot.errors import InvalidInput
from moot.export import EXPORTS


def _names(folder: Path) -> list[str]:
    return [one.name for one in folder.iterdir()]


def test_the_endings_are_those_of_the_exports() -> None:
    for name, one in EXPORTS.items():
        assert output.kind_of(f"verdict{one.extension}") == name


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("verdict.md", "md"),
        ("VERDICT.HTML", "html"),
        ("a.b.json", "json"),
        ("log.jsonl", "log"),
        ("x.report.md", "report"),
        ("x.decision-record.md", "decision-record"),
    ],
)
def test_the_ending_chooses_the_kind(name: str, kind: str) -> None:
    assert output.kind_of(name) == kind


@pytest.mark.parametrize("name", ["verdict", "verdict.pdf", ""])
def test_another_ending_is_refused_with_those_that_are_known(name: str) -> None:
    with pytest.raises(InvalidInput, match=r"end its name with .*\.html"):
        output.kind_of(name)


def test_a_file_is_replaced_in_one_step_and_keeps_its_mode(tmp_path: Path) -> None:
    path = tmp_path / "verdict.md"
    path.write_text("old")
    path.chmod(0o640)
    with path.open() as before:
        output.write(str(path), "new\r\n")
        assert before.read() == "old"  # whoever was reading it has the old text, whole

    assert path.read_bytes() == b"new\r\n"
    assert path.stat().st_mode & 0o777 == 0o640
    assert _names(tmp_path) == ["verdict.md"]


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    link = tmp_path / "verdict.md"
    link.symlink_to(tmp_path / "there" / "verdict.md")

    output.write(str(link), "new")

    assert link.is_symlink()
    assert (tmp_path / "there" / "verdict.md").read_text() == "new"


def test_a_device_is_written_to_and_not_replaced(tmp_path: Path) -> None:
    output.check_place(os.devnull)
    output.write(os.devnull, "nothing")
    assert not Path(os.devnull).is_file()


def test_what_fails_leaves_what_was_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "verdict.md"
    path.write_text("old")

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(output, "_fill", full)
    with pytest.raises(InvalidInput, match="No space left on device"):
        output.write(str(path), "new")

    assert path.read_text() == "old"
    assert _names(tmp_path) == ["verdict.md"]


@pytest.mark.parametrize(
    ("place", "said"), [("", "is a directory"), ("no/where.md", "there is no directory")]
)
def test_a_place_is_checked_and_nothing_is_left_there(
    place: str, said: str, tmp_path: Path
) -> None:
    with pytest.raises(InvalidInput, match=said):
        output.check_place(str(tmp_path / place))
    assert _names(tmp_path) == []


def test_a_place_that_is_fine_is_not_touched_by_the_check(tmp_path: Path) -> None:
    output.check_output(str(tmp_path / "verdict.md"))
    assert _names(tmp_path) == []


def test_standard_output_is_no_file_for_a_debate_that_is_shown_there() -> None:
    with pytest.raises(InvalidInput, match="needs the name of a file"):
        output.check_output("-")


@pytest.mark.parametrize(
    ("name", "format_", "told"),
    [
        ("x.report.md", "duel", "only debates of the format council have a report"),
        ("x.answer.md", "room", "has no outcome"),
    ],
)
def test_what_a_format_cannot_be_written_as_is_refused(name: str, format_: str, told: str) -> None:
    with pytest.raises(InvalidInput, match=told):
        output.check_kind(name, format_)
    output.check_kind("x.html", format_)
    output.check_kind(None, format_)
    output.check_kind("x.report.md", "council")
