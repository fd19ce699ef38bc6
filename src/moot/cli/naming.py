"""What a field of a request is called on the command line.

Whoever finds a mistake names the field, which programs and HTTP know by that name; here people know
it as an option.
"""

from __future__ import annotations

from collections.abc import Mapping

from moot.errors import InvalidInput

OPTIONS: Mapping[str, str] = {
    "judge_model": "--judge-model",
    "with_judge": "--no-judge",
    "team": "--team",
    "at": "--at",
    "as": "--as",
    "changes.settings": "--set",
    "settings.turns": "--turns",
    "settings.premise": "--premise",
}

PREFIXES: Mapping[str, str] = {
    "changes.models.": "--member-model ",
    "changes.settings.": "--set ",
    "settings.": "--set ",
}
"""The options that say for whom, or what."""


def by_option(error: InvalidInput) -> InvalidInput:
    """The same, told by the option. In a file a field is called what it is called there."""
    return InvalidInput(
        error.message,
        field=_named(error),
        source=error.source,
        line=error.line,
        others=tuple(by_option(one) for one in error.others),
    )


def _named(error: InvalidInput) -> str | None:
    field = error.field or ""
    if error.source:
        return error.field
    named = OPTIONS.get(field) or next(
        (to + field.removeprefix(part) for part, to in PREFIXES.items() if field.startswith(part)),
        "",
    )
    return named or error.field
