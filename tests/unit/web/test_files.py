"""The files of the page: vendored as they were fetched, small, and within the policy."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path

import pytest

import moot

WEB = Path(moot.__file__).parent / "web"
SCRIPTS = sorted(WEB.rglob("*.js"))
OWN = [path for path in SCRIPTS if path.parent.name != "vendor"]
MOST_BYTES = 320_000
FETCHED = (
    "views/council",
    "views/room",
    "pages/compare",
    "pages/judges",
    "pages/models",
    "pages/nothing_here",
    "pages/panels",
    "pages/personas",
    "parts/again_dialogs",
    "parts/bench",
    "parts/bench_dialog",
    "parts/answered",
    "parts/choices",
    "parts/command_dialogs",
    "parts/diagram",
    "parts/gallery",
    "parts/labels",
    "parts/share",
)
"""Modules that are fetched when they are needed."""
MOST_COLUMNS = 120
TAB = 2


@pytest.mark.parametrize("view", ["standard", "council", "room"])
def test_the_script_of_a_page_is_small(view: str) -> None:
    """Whatever is opened, from its first module to the view of its format."""
    loaded = {WEB / "early.js", *_imported(WEB / "main.js"), *_imported(WEB / f"views/{view}.js")}
    assert sum(path.stat().st_size for path in loaded) < MOST_BYTES


def test_nothing_is_left_over() -> None:
    later = [_imported(WEB / f"{name}.js") for name in FETCHED]
    assert set(SCRIPTS) == {WEB / "early.js", *_imported(WEB / "main.js")}.union(*later)


@pytest.mark.parametrize("name", FETCHED)
def test_what_is_seldom_needed_is_not_loaded_by_every_page(name: str) -> None:
    assert WEB / f"{name}.js" not in _imported(WEB / "main.js")


def _imported(module: Path) -> set[Path]:
    """The module and all that it imports, not counting what it fetches later."""
    found, left = set[Path](), [module]
    while left:
        path = left.pop()
        if path not in found:
            found.add(path)
            names = re.findall(r'\b(?:from|import)\s*"([^"\s<>${}]+)"', path.read_text())
            left += [(path.parent / name).resolve() for name in names]
    return found


def test_no_line_of_ours_is_too_long_to_read() -> None:
    here = Path(__file__).parents[2] / "browser"
    for path in [*OWN, *here.glob("*.mjs")]:
        for number, line in enumerate(path.read_text().splitlines(), 1):
            assert len(line.expandtabs(TAB)) <= MOST_COLUMNS, f"{path.name}:{number}"


def test_what_is_vendored_is_what_was_fetched() -> None:
    for folder, kind in (("vendor", "*.js"), ("fonts", "*.woff2")):
        rows = [
            line.split()
            for line in (WEB / folder / "HASHES.txt").read_text().splitlines()
            if not line.startswith("#")
        ]
        for name, package, _, integrity, digest in rows:
            found = hashlib.sha256((WEB / folder / name).read_bytes()).hexdigest()
            assert found == digest, package
            assert integrity.startswith("sha512-")
        assert {row[0] for row in rows} == {path.name for path in (WEB / folder).glob(kind)}
    assert "Apache License" in (WEB / "vendor" / "LICENSES.txt").read_text()
    assert "SIL OPEN FONT LICENSE" in (WEB / "fonts" / "LICENSE.txt").read_text()


def test_style_sheets_name_only_what_is_there() -> None:
    for path in WEB.rglob("*.css"):
        for address in re.findall(r'url\("?/static/([^")]+)', path.read_text()):
            assert (WEB / address).is_file(), f"{path.name} names {address}"


def test_modules_import_only_what_is_there() -> None:
    for path in SCRIPTS:
        for target in re.findall(r'\b(?:from|import)\s*"([^"\s<>${}]+)"', path.read_text()):
            assert target.startswith("."), f"{path.name} imports {target}"
            assert (path.parent / target).resolve().is_file(), f"{path.name} imports {target}"


def test_the_document_has_nothing_that_the_policy_forbids() -> None:
    page = (WEB / "index.html").read_text()
    assert not re.search(r"<style|\sstyle=|\son[a-z]+=|<script>|https?://", page)
    for address in re.findall(r'(?:src|href)="/static/([^"]+)"', page):
        assert (WEB / address).is_file(), address


def test_own_modules_are_on_nobody_elses_network() -> None:
    for path in [*WEB.rglob("*.css"), *OWN]:
        assert not re.search(r"https?://(?!\[)[a-z]", path.read_text()), path
