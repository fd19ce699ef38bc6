"""What a field of a request is called on the command line.

An error names the field, as programs and HTTP know it; at the command line people know it as an
option.
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
"""For fields that end in a name, of a participant or a setting: the option that takes it."""


def by_option(error: InvalidInput) -> InvalidInput:
    """The same error with the option in place of the field. A field of a file keeps its name."""
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
