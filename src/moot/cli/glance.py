"""A quick look at what could be typed next: ids, names of personas and models, shipped files.

For completion only, while somebody waits with a finger on Tab: the database is only read, no
file is checked, nothing is asked over the network. What is offered here is never relied on.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import closing
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from moot.settings import MootSettings

MOST_IDS = 200
LONGEST_HELP = 60
_SQLITE = "sqlite:///"
_FIELD = re.compile(r"""^\s*(?:-\s+)?(name|title):\s*["']?([^"'\n#]+?)["']?\s*$""", re.MULTILINE)
_HEAD = re.compile(r"^(name|about):\s*(.+?)\s*(?:\s#.*)?$", re.MULTILINE)

Offer = tuple[str, str]
"""What could be typed, and what it is, in a few words."""


def debates(settings: MootSettings, begun: str) -> list[Offer]:
    """The ids that begin with `begun`, newest first, with title or topic. Postgres is not asked."""
    import sqlite3

    path = _database(settings)
    if path is None or not path.is_file():
        return []
    # Read only: a look must not create a file, nor wait for whoever is writing.
    with closing(sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True, timeout=0.2)) as database:
        rows = database.execute(
            "SELECT id, status, COALESCE(NULLIF(title, ''), topic) FROM debates "
            "WHERE substr(id, 1, ?) = ? ORDER BY created_at DESC LIMIT ?",
            (len(begun), begun, MOST_IDS),
        ).fetchall()
    return [(debate_id, _brief(f"{status}: {name}")) for debate_id, status, name in rows]


def _database(settings: MootSettings) -> Path | None:
    url = settings.database_url
    if not url:
        return settings.database_path
    return Path(url.removeprefix(_SQLITE)).absolute() if url.startswith(_SQLITE) else None


def personas(folder: Path) -> Iterator[Offer]:
    """Names and titles, the user's own first, those of the shipped debates last."""
    own = sorted(folder.glob("*.yaml")) if folder.is_dir() else []
    shipped = (*_texts("personas").values(), *_texts("debates").values())
    for written in (*(file.read_text(encoding="utf-8") for file in own), *shipped):
        name = ""
        for field, text in _FIELD.findall(written):
            if field == "name":
                name = text
                yield name, ""
            elif name:
                yield text.lower(), name


def panels(folder: Path) -> Iterator[Offer]:
    """Names, the user's own first, with what they are good for."""
    own = sorted(folder.glob("*.yaml")) if folder.is_dir() else []
    for text in (*(file.read_text(encoding="utf-8") for file in own), *_texts("panels").values()):
        found = dict(reversed(_HEAD.findall(text)))
        if "name" in found:
            yield found["name"].strip("\"'"), _brief(found.get("about", "").strip("\"'"))


def shipped_debates() -> Iterator[Offer]:
    for name, text in _texts("debates").items():
        found = re.search(r"^topic:\s*(.+)$", text, re.MULTILINE)
        yield name, _brief(found[1].strip("\"' ")) if found else ""


def teams() -> Iterator[Offer]:
    text = (_data() / "teams.yaml").read_text(encoding="utf-8")
    for name in re.findall(r"^\s*-\s+name:\s*(\S+)", text, re.MULTILINE):
        yield name, ""


def samples() -> list[Offer]:
    found = (file.name for file in _data("samples").iterdir())
    return [(name.removesuffix(".jsonl"), "") for name in sorted(found) if name.endswith(".jsonl")]


def providers(settings: MootSettings) -> list[Offer]:
    from moot.models.providers import with_custom

    rows = with_custom(settings.providers).values()
    return [(row.name, row.key_variables[0]) for row in rows if row.key_variables]


def models(settings: MootSettings) -> Iterator[Offer]:
    """The user's defaults, and models of every provider that takes no key or whose key is known;
    local servers are not asked which models they have."""
    from moot.models.providers import with_custom
    from moot.settings import environment, read_configuration

    kept, variables = read_configuration(settings.config_path), environment()
    yield from ((one, "your default") for one in dict.fromkeys((kept.model, kept.judge)) if one)
    served = _served()
    for name, row in with_custom(settings.providers).items():
        has_key = any(one in kept.keys or variables.get(one) for one in row.key_variables)
        if row.key_variables and not has_key:
            continue
        for model in dict.fromkeys((row.default_model, *served.get(name, ()))):
            yield f"{name}:{model}", ""


@cache
def _served() -> Mapping[str, list[str]]:
    import tomllib

    table: dict[str, Any] = tomllib.loads((_data() / "models.toml").read_text(encoding="utf-8"))
    found: dict[str, list[str]] = {}
    for row in table["models"]:
        if "retires" not in row:
            found.setdefault(row["provider"], []).append(row["model"])
    return found


def _texts(folder: str) -> dict[str, str]:
    found = sorted(_data(folder).iterdir(), key=lambda file: file.name)
    return {
        file.name.removesuffix(".yaml"): file.read_text(encoding="utf-8")
        for file in found
        if file.name.endswith(".yaml")
    }


def _data(folder: str = "") -> Any:
    place = files("moot") / "data"
    return place / folder if folder else place


def _brief(text: str) -> str:
    """One line, without anything that a terminal would obey."""
    plain = " ".join("".join(char if char.isprintable() else " " for char in text).split())
    return plain if len(plain) <= LONGEST_HELP else plain[: LONGEST_HELP - 1] + "…"
