"""The metadata: links and pictures lead somewhere, or are not there."""

from __future__ import annotations

import importlib.util
import re
import subprocess
import tomllib
from email import message_from_string
from email.message import Message
from pathlib import Path
from types import ModuleType

import pytest
from hatchling.metadata.core import ProjectMetadata
from hatchling.metadata.spec import construct_metadata_file_2_4
from hatchling.plugin.manager import PluginManager

ROOT = Path(__file__).parents[2]
BASE = "https://example.org/people/moot"


def _loaded() -> ModuleType:
    """As hatchling loads it: by its path."""
    spec = importlib.util.spec_from_file_location("hatch_build", ROOT / "hatch_build.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


hook = _loaded()


def built() -> Message:
    """The metadata file, as a package would have it."""
    metadata = ProjectMetadata(str(ROOT), PluginManager())
    metadata.validate_fields()
    return message_from_string(construct_metadata_file_2_4(metadata))


@pytest.fixture
def with_address(monkeypatch: pytest.MonkeyPatch) -> Message:
    monkeypatch.setenv("MOOT_PROJECT_URL", f"{BASE}/")
    return built()


@pytest.fixture
def without_address(monkeypatch: pytest.MonkeyPatch) -> Message:
    monkeypatch.delenv("MOOT_PROJECT_URL", raising=False)
    # Git then finds no repository, whatever remote this checkout has.
    monkeypatch.setenv("GIT_DIR", "/nowhere")
    return built()


def targets(message: Message) -> list[str]:
    text = str(message.get_payload())
    return re.findall(r"\]\(([^)\s]+)\)", text) + re.findall(r'src="([^"]+)"', text)


def test_with_an_address_the_metadata_has_links(with_address: Message) -> None:
    assert with_address.get_all("Project-URL") == [
        f"Homepage, {BASE}",
        f"Documentation, {BASE}/tree/HEAD/docs",
        f"Changelog, {BASE}/blob/HEAD/CHANGELOG.md",
        f"Issues, {BASE}/issues",
    ]


def test_with_an_address_every_link_and_picture_leads_to_a_file_there(
    with_address: Message,
) -> None:
    found = targets(with_address)
    there = [one.removeprefix(f"{BASE}/") for one in found if one.startswith(BASE)]
    assert [one for one in found if "://" not in one and not one.startswith("#")] == []
    assert {"blob", "raw"} <= {one.split("/")[0] for one in there} <= {"blob", "raw", "tree"}
    for one in there:
        kind, _, path = one.replace("/HEAD/", "/", 1).partition("/")
        file = ROOT / path.partition("#")[0]
        assert file.is_dir() if kind == "tree" else file.is_file(), one


def test_without_an_address_nothing_is_dead(without_address: Message) -> None:
    assert without_address.get_all("Project-URL") is None
    assert [one for one in targets(without_address) if "://" not in one and one[0] != "#"] == []


def test_without_an_address_the_words_stay_and_the_pictures_go(without_address: Message) -> None:
    text = str(without_address.get_payload())
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert "![" not in text
    assert "<img" not in text
    for link in re.findall(r"(?<!!)\[([^\[\]!]+)\]\((?!#|http)", readme):
        assert link in text
    assert "\n| |" not in text.replace("| | |\n|---|---|\n| ", "")  # no table without content
    assert re.findall(r"^```\w*$", text, re.MULTILINE) == re.findall(
        r"^```\w*$", readme, re.MULTILINE
    )


@pytest.mark.parametrize("case", ["with_address", "without_address"])
def test_says_who_it_is_for_and_under_which_licence(
    case: str, request: pytest.FixtureRequest
) -> None:
    message: Message = request.getfixturevalue(case)
    assert message["License-Expression"] == "MIT"
    assert message["Description-Content-Type"] == "text/markdown"
    assert len(message["Keywords"].split(",")) > 5
    classifiers = message.get_all("Classifier", [])
    for first in ("Development Status", "Intended Audience", "Operating System", "Topic"):
        assert any(one.startswith(f"{first} ::") for one in classifiers)


def test_extras_are_for_users_and_all_has_every_one_but_the_embedded_model() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = set(project["optional-dependencies"])
    assert extras == {"local", "providers", "workers", "tracing", "keyring", "mcp", "all"}
    (everything,) = project["optional-dependencies"]["all"]
    assert set(re.findall(r"\w+", everything)) == extras - {"all", "local"} | {"moot"}


LOCKS = sorted((ROOT / "requirements").glob("*.txt"))


@pytest.mark.parametrize("lock", LOCKS, ids=lambda lock: lock.stem)
def test_a_lock_names_hashes_and_no_place(lock: Path) -> None:
    text = lock.read_text(encoding="utf-8")
    pins = re.findall(r"^[a-z][\w.-]*==\S+.*\\$", text, re.MULTILINE)
    assert len(re.findall(r"^[^\s#]", text, re.MULTILINE)) == len(pins) > 0
    assert text.count("--hash=sha256:") >= len(pins)
    assert "://" not in text
    assert "index" not in text


def test_only_the_lock_with_the_embedded_model_has_what_runs_it() -> None:
    has = {lock.stem for lock in LOCKS if "xllamacpp==" in lock.read_text(encoding="utf-8")}
    assert has == {"dev", "local"}


@pytest.mark.parametrize(
    ("remote", "address"),
    [
        ("https://example.org/people/moot.git", BASE),
        ("https://ann:secret@example.org/people/moot", BASE),
        ("https://example.org:8443/people/moot/", "https://example.org:8443/people/moot"),
        ("ssh://git@example.org:2222/people/moot.git", BASE),
        ("git@example.org:people/moot.git", BASE),
        ("http://93.184.215.14/moot.git", "http://93.184.215.14/moot"),
        ("http://127.0.0.1:3000/people/moot.git", ""),
        ("https://localhost/people/moot.git", ""),
        ("https://example.org", ""),
        ("file:///srv/git/moot.git", ""),
        ("/srv/git/moot.git", ""),
        ("../moot", ""),
        ("C:\\git\\moot", ""),
        ("", ""),
    ],
)
def test_the_address_of_a_remote_is_one_for_everybody(remote: str, address: str) -> None:
    assert hook.web_address(remote) == address


def test_an_address_that_is_none_is_refused() -> None:
    with pytest.raises(ValueError, match="MOOT_PROJECT_URL must be an address"):
        hook.project_url({"MOOT_PROJECT_URL": "moot"}, ROOT)


def test_the_address_is_that_of_origin_in_this_repository_only(tmp_path: Path) -> None:
    for command in (["init", "-q"], ["remote", "add", "origin", "git@example.org:people/moot"]):
        subprocess.run(["git", *command], cwd=tmp_path, check=True)
    (tmp_path / "unpacked").mkdir()
    assert hook.project_url({}, tmp_path) == BASE
    assert hook.project_url({}, tmp_path / "unpacked") == ""


PAGE = """\
# Title
![A picture](docs/a.png) Read [the docs](docs/x.md#there), [this](#title) or [that](https://e.org/).
[![Badge](b.png)](docs/x.md) <img src="docs/c.png" width="3">

| | |
|---|---|
| ![one](1.png) | ![two](2.png) |

| what | where |
|---|---|
| ![one](1.png) | words |

```md
[kept](as/it/is.md)
```
"""


def test_pictures_go_with_their_tables_and_links_become_words() -> None:
    assert (
        hook.readme(PAGE, "", ROOT)
        == """\
# Title
 Read the docs, [this](#title) or [that](https://e.org/).

| what | where |
|---|---|
|  | words |

```md
[kept](as/it/is.md)
```
"""
    )


def test_relative_targets_become_absolute_once() -> None:
    assert (
        hook.readme(PAGE, BASE, ROOT)
        == f"""\
# Title
![A picture]({BASE}/raw/HEAD/docs/a.png) Read [the docs]({BASE}/blob/HEAD/docs/x.md#there), \
[this](#title) or [that](https://e.org/).
[![Badge]({BASE}/raw/HEAD/b.png)]({BASE}/blob/HEAD/docs/x.md) \
<img src="{BASE}/raw/HEAD/docs/c.png" width="3">

| | |
|---|---|
| ![one]({BASE}/raw/HEAD/1.png) | ![two]({BASE}/raw/HEAD/2.png) |

| what | where |
|---|---|
| ![one]({BASE}/raw/HEAD/1.png) | words |

```md
[kept](as/it/is.md)
```
"""
    )
