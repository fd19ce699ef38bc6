"""`moot doctor`: what would be used and what is in the way, or why one debate does not move.

It only looks: nothing is changed, except that an old schema is brought up to date.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click
import msgspec

from moot.cli import complete
from moot.cli.options import Setup, pass_setup
from moot.cli.telling import say
from moot.errors import MootError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rich.text import Text

    from moot.models.port import Models
    from moot.wiring import System


LIBRARIES = (
    "aiohttp",
    "asyncpg",
    "click",
    "mcp",
    "msgspec",
    "pydantic",
    "pydantic-ai-slim",
    "rich",
    "xllamacpp",
)


@click.command()
@click.argument("debate_id", metavar="[ID]", required=False, shell_complete=complete.ids)
@click.option("--json", "as_json", is_flag=True, help="Print everything as JSON.")
@pass_setup
def doctor(setup: Setup, /, debate_id: str | None, as_json: bool) -> None:
    """Check your setup, or why a debate is not moving.

    Without ID, it shows which models and which database would be used. The exit code is 0 if you
    could hold a debate now, and 4 if not.

    With ID, it shows where that debate stands, which process has it and whether that process is
    alive, what the debate is waiting for (a person, a provider, a worker, its next try in
    quarantine), and what you can do about it.

    \b
    Examples:
      moot doctor
      moot doctor --json
      moot doctor k3f2
    """
    import asyncio

    from moot.cli.exit_codes import ExitCode

    if debate_id is not None:
        _print_diagnosis(setup.run(lambda system: _diagnose(system, debate_id)), as_json)
        return
    report = asyncio.run(_examine(setup))
    if as_json:
        from moot.cli.view.json_lines import as_line

        print(as_line(report))
    else:
        _print_report(report)
    sys.exit(ExitCode.COMPLETED if report["is_ready"] else ExitCode.FAILED)


async def _examine(setup: Setup) -> dict[str, Any]:
    """The report; its `is_ready` says whether a debate could be held now."""
    from moot.wiring import open_models

    settings = setup.settings()
    models = setup.models or open_models(settings)
    try:
        found = _models(models)
    finally:
        await models.close()
    plugins = _plugins()
    database = await _database(setup)
    problems = [part["error"] for part in (found, database) if part.get("error")]
    return {
        "is_ready": not problems,
        "home": str(settings.home),
        "panels": str(settings.panels_path),
        "personas": str(settings.personas_path),
        "models": found,
        "database": database,
        "plugins": plugins,
        "versions": _versions(),
    }


async def _diagnose(system: System, prefix: str) -> dict[str, Any]:
    from datetime import UTC, datetime

    from msgspec import structs

    from moot.cli.diagnosis import Facts, findings
    from moot.store.worker_identity import is_gone

    debate_id = await system.service.find(prefix)
    state = await system.service.state(debate_id)
    facts = Facts(
        id=debate_id,
        state=state,
        custody=await system.store.custody(debate_id),
        last_at=(await system.service.summary(debate_id)).updated_at,
        now=datetime.now(UTC),
        workers=sum(not is_gone(one) for one in await system.store.workers()),
        unheld=len(await system.store.abandoned(limit=1000)),
        free_mb=_free_mb(await system.store.describe()),
    )
    found = [structs.asdict(one) for one in findings(facts)]
    return {"id": debate_id, "status": state.status, "findings": found}


def _free_mb(database: Mapping[str, str]) -> int | None:
    """Free space on the database's disk; None for Postgres, which may be on another machine."""
    import shutil
    from pathlib import Path

    if database["backend"] != "sqlite":
        return None
    return shutil.disk_usage(Path(database["where"]).parent).free // 2**20


def _print_diagnosis(found: dict[str, Any], as_json: bool) -> None:
    if as_json:
        from moot.cli.view.json_lines import as_line

        print(as_line(found))
        return
    from moot.cli.view.console import clean

    say(f"{found['id']}: {found['status']}")
    for one in found["findings"]:
        say(f"\n{clean(one['what'])}")
        if one["do"]:
            say(f"  → {clean(one['do'])}")


def _models(models: Models) -> dict[str, Any]:
    from moot.models.registry import Registry

    # Only the real registry knows of providers; the stand-in that tests bring has one model.
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


def _plugins() -> list[dict[str, str]]:
    """What other packages bring, and what is wrong with it; with a faulty plugin
    nothing can be opened."""
    from moot import plugins

    return [msgspec.structs.asdict(one) for one in plugins.found()]


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
    _section("Your own files")
    print_table(("what", "is in"), [(name, report[name]) for name in ("panels", "personas")])
    if report["plugins"]:
        _section("Plugins")
        brought = [_plugin(one) for one in report["plugins"]]
        print_table(("plugin", "from", "can be used"), brought)
    _section("Versions")
    print_table(("library", "version"), list(report["versions"].items()))
    print()
    for warning in models["warnings"]:
        say(f"! {clean(warning)}")
    for part in (models, database):
        if part.get("error"):
            say(f"✗ {clean(part['error'])}")
    if report["is_ready"]:
        say("✓ ready: moot run remote-work")


def _section(title: str) -> None:
    say(f"\n{title}\n")


def _provider(one: dict[str, Any]) -> tuple[str, Text]:
    return one["name"], _usable(one["reason"], is_usable=one["is_usable"])


def _plugin(one: dict[str, str]) -> tuple[str, str, Text]:
    name = f"{one['group'].removeprefix('moot.')}: {one['name']}"
    return name, one["distribution"], _usable(one["problem"], is_usable=not one["problem"])


def _usable(reason: str, *, is_usable: bool) -> Text:
    from rich.text import Text

    from moot.cli.view.console import clean

    if is_usable:
        because = f": {clean(reason)}" if reason else ""
        return Text("yes", style="green").append(because, style="dim")
    return Text("no: ", style="yellow").append(clean(reason), style="dim")
