"""Whatever the docs name is there: files, links, functions, targets, layers, words, columns."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

from moot.export.as_csv import COLUMNS

ROOT = Path(__file__).parents[3]
DOCS = ROOT / "docs"
PAGES = [*sorted(DOCS.rglob("*.md")), ROOT / "README.md", ROOT / "CHANGELOG.md"]
MAP = (DOCS / "contributing.md").read_text(encoding="utf-8")
INVENTED = {
    # The formats that docs/how-to/write-a-format.md has its readers write.
    "src/moot/protocol/formats/circle.py",
    "src/moot/protocol/formats/council/premortem.py",
}

every_page = pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))


@every_page
def test_every_path_is_there(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    named = re.findall(r"(?<![\w/.-])(?:src|tests|benchmarks|docs|requirements)/[\w/.-]*\w", text)
    gone = [one for one in named if one not in INVENTED and not _exists(one)]
    assert gone == []


def _exists(path: str) -> bool:
    """As a file, or as a test that is named without its ending."""
    return (ROOT / path).exists() or (ROOT / f"{path}.py").exists()


@every_page
def test_every_link_leads_to_a_file(page: Path) -> None:
    targets = re.findall(r"\]\(([^)#\s]+)[^)]*\)", page.read_text(encoding="utf-8"))
    local = [one for one in targets if "://" not in one]
    assert [one for one in local if not (page.parent / one).exists()] == []


@every_page
def test_every_link_leads_to_a_heading(page: Path) -> None:
    found = re.findall(r"\]\(([^)#\s]*\.md)?#([\w-]+)\)", page.read_text(encoding="utf-8"))
    gone = [
        f"{file}#{anchor}"
        for file, anchor in found
        if "://" not in file and anchor not in _anchors(page.parent / file if file else page)
    ]
    assert gone == []


def _anchors(page: Path) -> set[str]:
    """As GitHub makes them of headings."""
    titles = re.findall(r"^#+ (.*)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


def test_every_function_on_the_way_of_a_statement_is_in_its_file() -> None:
    rows = re.findall(r"^\| \d+ \| `(\S+)` \| (.*?) \|", MAP, re.MULTILINE)
    assert len(rows) == 15
    for path, functions in rows:
        source = (ROOT / path).read_text(encoding="utf-8")
        names = {part for one in re.findall(r"`([^`]+)`", functions) for part in one.split(".")}
        missing = [name for name in names if not re.search(rf"(?<!\w){name}\b", source)]
        assert missing == [], path


def test_the_picture_has_every_layer_from_top_to_bottom() -> None:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    contracts = {one["id"]: one for one in settings["tool"]["importlinter"]["contracts"]}
    picture = MAP.partition("```\n")[2].partition("```")[0].splitlines()
    at = 0
    for layer in contracts["layers"]["layers"]:
        names = set(re.findall(r"\w+", layer))
        found = [n for n, line in enumerate(picture) if names <= set(re.findall(r"\w+", line[:34]))]
        assert found, layer
        assert found[0] >= at, layer
        at = found[0]


@pytest.mark.parametrize(
    "page", [ROOT / "README.md", DOCS / "contributing.md"], ids=lambda one: one.name
)
def test_what_is_bought_again_is_told_with_its_exception(page: Path) -> None:
    told = [one for one in page.read_text(encoding="utf-8").splitlines() if "bought again" in one]
    assert told
    assert all("except a call in flight" in one for one in told)  # promise P3


def test_every_package_has_a_paragraph() -> None:
    paragraphs = set(re.findall(r"\*\*`src/moot/(\w+)(?:/|\.py)`\*\*", MAP))
    source = ROOT / "src" / "moot"
    packages = {one.stem for one in source.iterdir() if re.fullmatch(r"[a-z]+(\.py)?", one.name)}
    assert packages - paragraphs == {"errors", "ids"}  # which the picture says enough about


def test_every_target_of_make_is_there() -> None:
    made = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = set(re.findall(r"`make ([a-z-]+)", MAP))
    assert targets <= set(re.findall(r"^([a-z-]+):", made, re.MULTILINE))
    assert len(targets) > 5


def test_no_word_is_explained_twice() -> None:
    page = (DOCS / "glossary.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (\*\*.*?) \|", page, re.MULTILINE)
    words = [word.lower() for row in rows for word in re.findall(r"\*\*(.*?)\*\*", row)]
    assert [word for word in words if words.count(word) > 1] == []


def test_the_columns_of_the_csv_are_those_it_has() -> None:
    page = (DOCS / "how-to" / "export.md").read_text(encoding="utf-8")
    section = page.partition("## Columns of the CSV\n")[2].partition("\n## ")[0]
    first = section.strip().splitlines()[0]
    assert tuple(re.findall(r"`(\w+)`", first)) == COLUMNS
