"""`moot doctor`: what would be used, and what is in the way.

It looks, and changes nothing but an old schema.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from moot.cli.setup import Setup, pass_setup
from moot.errors import MootError

if TYPE_CHECKING:
    from rich.text import Text

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


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print everything as JSON.")
@pass_setup
def doctor(setup: Setup, /, as_json: bool) -> None:
    """Show which models and which database would be used.

    Exits with 0 if a debate could be held now, and with 4 if not.

    \b
    Examples:
      moot doctor
      moot doctor --json
    """
    import asyncio

    from moot.cli.exit_codes import ExitCode

    report = asyncio.run(_examine(setup))
    if as_json:
        from moot.cli.view.json_lines import as_line

        print(as_line(report))
    else:
        _print_report(report)
    sys.exit(ExitCode.COMPLETED if report["is_ready"] else ExitCode.FAILED)


async def _examine(setup: Setup) -> dict[str, Any]:
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
    from moot.models.registry import Registry

    # Only the real registry knows of providers; what tests bring has one model.
    registry = models if isinstance(models, Registry) else None
    found: dict[str, Any] = {
        "providers": [
            {"name": one.provider, "is_usable": one.is_usable, "reason": one.reason}
            for one in (registry.available() if registry else ())
        ],
        "warnings": [],
    }
    try:
        for role, is_judge in (("debater", False), ("judge", True)):
            name = found[role] = models.default(is_judge=is_judge)
            models.get(name)
            warning = registry.retirement(name) if registry else ""
            if warning and warning not in found["warnings"]:
                found["warnings"].append(warning)
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
    import platform
    from importlib.metadata import PackageNotFoundError, version

    found = {"moot": version("moot"), "python": platform.python_version()}
    for name in LIBRARIES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            found[name] = "not installed"
    return found


def _print_report(report: dict[str, Any]) -> None:
    from rich.text import Text

    from moot.cli.view.console import clean, print_table

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
    for warning in models["warnings"]:
        print(f"! {clean(warning)}")
    for part in (models, database):
        if part.get("error"):
            print(f"✗ {clean(part['error'])}")
    if report["is_ready"]:
        print("✓ ready: moot run remote-work")


def _section(title: str) -> None:
    print(f"\n{title}\n")


def _provider(one: dict[str, Any]) -> tuple[str, Text]:
    from rich.text import Text

    from moot.cli.view.console import clean

    if one["is_usable"]:
        because = f": {clean(one['reason'])}" if one["reason"] else ""
        return one["name"], Text("yes", style="green").append(because, style="dim")
    return one["name"], Text("no: ", style="yellow").append(clean(one["reason"]), style="dim")
