"""Formats, providers and exports of other packages: installed as a package is, found in processes.

The packages are those of docs/how-to/write-a-format.md, as they stand on the page.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tomllib
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.acceptance.terminals import PATIENCE_S, Provider
from tests.acceptance.test_serve import Server

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "how-to" / "write-a-format.md").read_text(encoding="utf-8")
FILES = dict(re.findall(r"`(\w+\.py)`:\n\n<!-- .*? -->\n```python\n(.*?)```", PAGE, re.DOTALL))
PROJECTS = [tomllib.loads(one) for one in re.findall(r"```toml\n(.*?)```", PAGE, re.DOTALL)]


class Site:
    """A directory of installed packages, as pip leaves them, and Moot beside it."""

    def __init__(self, path: Path, home: Path, url: str) -> None:
        self.path = path
        self.environment = {
            "MOOT_HOME": str(home),
            "PYTHONPATH": str(path),
            "ACME_BASE_URL": url,
            "ACME_API_KEY": "k",
            "MOOT_MODEL": "acme:test",
        }

    def install(self, name: str, groups: dict[str, dict[str, str]], **modules: str) -> None:
        told = self.path / f"{name.replace('-', '_')}-1.0.dist-info"
        told.mkdir(parents=True)
        (told / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
        sections = (
            f"[{group}]\n" + "".join(f"{key} = {value}\n" for key, value in points.items())
            for group, points in groups.items()
        )
        (told / "entry_points.txt").write_text("\n".join(sections))
        for module, code in modules.items():
            (self.path / f"{module}.py").write_text(code)

    def install_page(self) -> None:
        for project in (one["project"] for one in PROJECTS):
            module = project["name"].replace("-", "_")
            self.install(
                project["name"], project["entry-points"], **{module: FILES[f"{module}.py"]}
            )

    def moot(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "moot", *arguments],
            capture_output=True,
            text=True,
            timeout=PATIENCE_S,
            check=False,
            env={**os.environ, **self.environment},
        )

    def remove(self, name: str) -> None:
        """As good as uninstalled: nothing tells of it any more."""
        (self.path / f"{name.replace('-', '_')}-1.0.dist-info" / "entry_points.txt").unlink()


@pytest.fixture
def site(tmp_path: Path, provider: Callable[..., Provider]) -> Site:
    return Site(tmp_path / "site", tmp_path / "home", provider().url)


@pytest.fixture
def serve(site: Site, provider: Callable[..., Provider]) -> Iterator[Callable[[], Server]]:
    running: list[Server] = []
    unused = provider()

    def begin() -> Server:
        running.append(Server(unused, **site.environment))
        return running[-1]

    yield begin
    for server in running:
        server.process.kill()
        server.process.communicate()


NEW = {"topic": "Tea or coffee?", "format": "circle", "settings": {"rounds": 1}, "start": True}


def test_what_a_package_brings_is_used_like_what_is_built_in(
    site: Site, serve: Callable[[], Server]
) -> None:
    site.install_page()
    assert site.moot("formats", "check", "circle").returncode == 0
    ran = site.moot("run", "--format", "circle", "Tea or coffee?", "--set", "rounds=1", "--json")
    assert ran.returncode == 0, ran.stderr

    server = serve()
    assert "circle" in [one["id"] for one in server.ask("GET", "/api/formats")["items"]]
    debate = server.ask("POST", "/api/debates", NEW)["id"]
    assert list(server.events(debate))[-1] == "DebateCompleted"
    found = server.ask("GET", f"/api/debates/{debate}")
    assert (found["outcome"]["type"], found["turns"]) == ("summary", 3)
    assert {one["model"] for one in found["participants"]} == {"acme:test"}
    assert _text(server, f"/api/debates/{debate}/export?as=words").startswith(f"Debate {debate}\n")

    _without_the_format(site, serve, server, debate)


def _without_the_format(
    site: Site, serve: Callable[[], Server], server: Server, debate: str
) -> None:
    """One that runs and one that is over, when the package is gone after a restart."""
    running = server.ask("POST", "/api/debates", {**NEW, "settings": {"rounds": 20}})["id"]
    server.end(9)
    site.remove("moot-circle")
    again = serve()
    assert len(again.ask("GET", "/api/debates")["items"]) == 3
    for one in (debate, running):
        told = _problem(again, f"/api/debates/{one}")
        assert (told["status"], told["code"]) == (409, "format_missing")
        assert "'circle', which is not installed here" in told["detail"]
    other = {"topic": "Cats?", "format": "rounds", "settings": {"max_rounds": 1}, "start": True}
    fine = again.ask("POST", "/api/debates", other)["id"]
    assert list(again.events(fine))[-1] == "DebateCompleted"
    shown = site.moot("show", debate)
    assert shown.returncode != 0
    assert "'circle', which is not installed here" in shown.stderr
    assert debate in site.moot("list", "--json").stdout


def _problem(server: Server, path: str) -> Any:
    return json.loads(_text(server, path))


def _text(server: Server, path: str) -> str:
    try:
        with urllib.request.urlopen(server.url + path, timeout=PATIENCE_S) as answer:  # noqa: S310
            return str(answer.read().decode())
    except urllib.error.HTTPError as error:
        return error.read().decode()


def test_what_cannot_be_used_is_refused_by_name_and_all_at_once(site: Site) -> None:
    circle = FILES["moot_circle.py"]
    endless = circle.replace("Transition(source=CLOSING, event=COMPLETE, target=None),", "")
    site.install(
        "moot-broken",
        {
            "moot.formats": {
                "circle": "endless:Circle",
                "duel": "taken:Circle",
                "gone": "no_such_module:Gone",
                "other": "circle_ok:Circle",
            },
            "moot.exports": {"md": "exports:MINE", "odd": "exports:ODD"},
            "moot.providers": {"acme": "exports:ODD"},
        },
        endless=endless,
        taken=circle.replace('name = "circle"', 'name = "duel"'),
        circle_ok=circle,
        exports=(
            "from moot.export import Export\n"
            "def write(shown, debate_id): return ''\n"
            "MINE = Export(write=write, media_type='text/plain', extension='.md')\n"
            "ODD = Export(write=write, media_type='text/plain', extension='../x')\n"
        ),
    )
    ran = site.moot("list")
    assert ran.returncode != 0
    for point, reason in {
        "circle of moot.formats": "breaks the rules for formats",
        "duel of moot.formats": "there is already a format called duel",
        "gone of moot.formats": "ModuleNotFoundError",
        "other of moot.formats": "is called 'circle'",
        "md of moot.exports": "there is already an export called md",
        "odd of moot.exports": "needs an extension",
        "acme of moot.providers": "must be a moot.models.providers.Provider",
    }.items():
        line = next(one for one in ran.stderr.splitlines() if f"entry point {point}" in one)
        assert "moot-broken" in line
        assert reason in line
    assert "Traceback" not in ran.stderr
    assert site.moot("--help").returncode == 0
