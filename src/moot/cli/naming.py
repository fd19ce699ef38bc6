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
}

PREFIXES: Mapping[str, str] = {
    "changes.models.": "--member-model ",
    "changes.settings.": "--set ",
}
"""The options that say for whom, or what."""


def by_option(error: InvalidInput) -> InvalidInput:
    """The same, told by the option. In a file a field is called what it is called there."""
    field = error.field or ""
    named = OPTIONS.get(field) or next(
        (to + field.removeprefix(part) for part, to in PREFIXES.items() if field.startswith(part)),
        "",
    )
    if not named or error.source:
        return error
    return InvalidInput(error.message, field=named, line=error.line, others=error.others)
