"""Formats, providers and exports that other packages bring, found by their entry points.

    [project.entry-points."moot.formats"]     a `Format`, as a class or an instance
    [project.entry-points."moot.providers"]   a `Provider`: a row of the table of providers
    [project.entry-points."moot.exports"]     an `Export`: a kind of document

The built-in ones go through the same `register` functions, from tables in code: a checkout that was
never installed has no entry points. What is found here is registered before anything is looked up,
in every process that opens a database or lists what there is. A plugin that cannot be used is never
skipped in silence: the process says whose it is and what is wrong, and does not start.

Mostly there are no plugins: what is needed to check and register one is imported only then.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import Any

import msgspec

from moot.errors import InvalidInput, joined

GROUPS = ("moot.formats", "moot.providers", "moot.exports")


class Plugin(msgspec.Struct, frozen=True, kw_only=True):
    """One entry point, and why it cannot be used; `problem` is empty if it can."""

    group: str
    name: str
    distribution: str
    problem: str = ""


def load() -> None:
    """Registers what other packages bring, once per process. Raises InvalidInput with all that
    cannot be used."""
    if wrong := [one for one in found() if one.problem]:
        raise joined([InvalidInput(one.problem, field=_where(one)) for one in wrong])


@cache
def found() -> tuple[Plugin, ...]:
    """What other packages bring, registered where it can be used."""
    return tuple(_registered(point) for point in _points())


def _where(plugin: Plugin) -> str:
    return f"{plugin.distribution}, entry point {plugin.name} of {plugin.group}"


def _points() -> Iterator[EntryPoint]:
    every = entry_points()
    for group in GROUPS:
        yield from sorted(every.select(group=group), key=lambda one: (one.name, one.value))


def _registered(point: EntryPoint) -> Plugin:
    problem = ""
    try:
        TAKERS[point.group](point.name, point.load())
    except InvalidInput as error:
        problem = error.message
    except Exception as error:  # noqa: BLE001 - it is others' code, and its name must be told
        problem = f"cannot be loaded: {type(error).__name__}: {error}"
    owner = point.dist.name if point.dist else "an unknown package"
    return Plugin(group=point.group, name=point.name, distribution=owner, problem=problem)


# --- how each kind is checked and registered; raises InvalidInput with what is wrong ---


def _format(name: str, brought: Any) -> None:
    from moot.export import register_documents
    from moot.prompts import render
    from moot.protocol.checker import check
    from moot.protocol.machine import Format
    from moot.protocol.registry import register_format

    rules = brought() if isinstance(brought, type) else brought
    if Format not in type(rules).__mro__:
        raise InvalidInput("must be a class that inherits from moot.protocol.machine.Format")
    _check_name(name, rules.name)
    if broken := [
        f"{one.detail} (check: {one.what})" for one in check(rules, render) if not one.ok
    ]:
        message = f"breaks the rules for formats: {'; '.join(broken)}"
        raise InvalidInput(message)
    register_format(rules)
    register_documents(rules)


def _provider(name: str, brought: Any) -> None:
    from moot.models.providers import Provider, register_provider

    if not isinstance(brought, Provider):
        raise InvalidInput("must be a moot.models.providers.Provider")
    _check_name(name, brought.name)
    register_provider(brought)


def _export(name: str, brought: Any) -> None:
    from moot.export import Export, register_export

    if not isinstance(brought, Export):
        raise InvalidInput("must be a moot.export.Export")
    register_export(name, brought)


def _check_name(name: str, its_own: str) -> None:
    if name != its_own:
        message = f"is called {its_own!r}: its entry point must have the same name"
        raise InvalidInput(message)


TAKERS: Mapping[str, Callable[[str, Any], None]] = {
    "moot.formats": _format,
    "moot.providers": _provider,
    "moot.exports": _export,
}
