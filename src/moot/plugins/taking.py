"""How each kind of plugin is checked and registered. Raises InvalidInput with what is wrong."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from moot.errors import InvalidInput
from moot.export import Export, register_documents, register_export
from moot.models.providers import Provider, register_provider
from moot.prompts import render
from moot.protocol.checker import check
from moot.protocol.machine import Format
from moot.protocol.registry import register_format


def _format(name: str, brought: Any) -> None:
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
    if not isinstance(brought, Provider):
        raise InvalidInput("must be a moot.models.providers.Provider")
    _check_name(name, brought.name)
    register_provider(brought)


def _export(name: str, brought: Any) -> None:
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
