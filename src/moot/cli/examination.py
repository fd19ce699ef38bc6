"""What `moot doctor` looks at. It looks, and changes nothing but an old schema."""

from __future__ import annotations

import platform
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from rich.text import Text

from moot.cli.setup import Setup
from moot.cli.view.console import clean, print_table
from moot.errors import MootError
from moot.models.port import Models

LIBRARIES = (
    "aiohttp",
    "alembic",
    "asyncpg",
    "click",
    "msgspec",
    "pydantic",
    "pydantic-ai-slim",
    "rich",
    "SQLAlchemy",
    "xllamacpp",
)


async def examine(setup: Setup) -> dict[str, Any]:
    """`is_ready` says whether a debate could be held now."""
    from moot.wiring import open_models

    settings = setup.settings()
    models = setup.models or open_models(settings)
    try:
        found = _models(models)
    finally:
        await models.close()
    database = await _database(setup)
    problems = [part["error"] for part in (found, database) if part.get("error")]
    return {
        "is_ready": not problems,
        "home": str(settings.home),
        "models": found,
        "database": database,
        "versions": _versions(),
    }


def _models(models: Models) -> dict[str, Any]:
    # Only the real registry knows of providers; what tests bring has one model.
    available: list[Any] = getattr(models, "available", list)()
    found: dict[str, Any] = {
        "providers": [
            {"name": one.provider, "is_usable": one.is_usable, "reason": one.reason}
            for one in available
        ]
    }
    try:
        for role, is_judge in (("debater", False), ("judge", True)):
            found[role] = models.default(is_judge=is_judge)
            models.get(found[role])
    except MootError as error:
        found["error"] = str(error)
    return found


async def _database(setup: Setup) -> dict[str, Any]:
    try:
        async with setup.open() as system:
            return dict(await system.store.describe())
    except MootError as error:
        return {"error": str(error)}


def _versions() -> dict[str, str]:
    found = {"moot": version("moot"), "python": platform.python_version()}
    for name in LIBRARIES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            found[name] = "not installed"
    return found


def print_report(report: dict[str, Any]) -> None:
    models, database = report["models"], report["database"]
    _section("Models")
    rows = [
        ("debaters", Text(clean(models.get("debater", "none")), style="bold")),
        ("judges", Text(clean(models.get("judge", "none")), style="bold")),
    ]
    print_table(("who", "uses"), rows)
    print()
    print_table(("provider", "can be used"), [_provider(one) for one in models["providers"]])
    _section("Database")
    print_table(("what", "is"), [(name, text) for name, text in database.items() if text])
    _section("Versions")
    print_table(("library", "version"), list(report["versions"].items()))
    print()
    for part in (models, database):
        if part.get("error"):
            print(f"✗ {clean(part['error'])}")
    if report["is_ready"]:
        print("✓ ready: moot run remote-work")


def _section(title: str) -> None:
    print(f"\n{title}\n")


def _provider(one: dict[str, Any]) -> tuple[str, Text]:
    if one["is_usable"]:
        return one["name"], Text("yes", style="green")
    return one["name"], Text("no: ", style="yellow").append(clean(one["reason"]), style="dim")
