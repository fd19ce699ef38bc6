"""Debates by their file, by the name of a shipped one, or by a bare topic; and changes to them."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from difflib import get_close_matches
from functools import cache
from pathlib import Path
from typing import Any

import msgspec

from moot.definitions import shipped as shipped_files
from moot.definitions.casting import cast, seat
from moot.definitions.debate_file import POOLED, SIDE, SIDED, define, setting_mistakes
from moot.definitions.documents import Document, located, read, together
from moot.definitions.values import Cast, Definition, Pools, Shipped
from moot.errors import InvalidInput, NoModel, NotFound
from moot.protocol.registry import USUAL, format_named
from moot.protocol.row import seats_of
from moot.protocol.values import Participant
from moot.protocol.words import HUMAN, Role, Stance

__all__ = [
    "Cast",
    "Definition",
    "Pools",
    "between",
    "cast",
    "changed",
    "check_models",
    "from_topic",
    "is_name",
    "load",
    "on",
    "shipped",
]

_SUFFIXES = (".yaml", ".yml")
# A separator of paths, or an ending such as `.md`.
_FILE_NAME = re.compile(rf"[/{re.escape(os.sep)}]|.\.[A-Za-z][A-Za-z0-9]{{0,4}}\Z")
IS_TOPIC = "if it is meant as a topic, write more than one word"


def load(
    path_or_name: str | Path | Document,
    personas: Path | None = None,
    *,
    format: str | None = None,  # noqa: A002 - the word of the glossary
) -> Definition:
    """The debate in that file, or the shipped one of that name; `personas` has the user's own.

    A `Document` has been read already, by somebody who may read where it came from.
    With a `format`, it is read as a debate of that format, whatever the file says.
    Raises NotFound, with the names that come close, or InvalidInput with file, line and field.
    """
    if isinstance(path_or_name, Document):
        return define(path_or_name, personas, format=format)
    if path_or_name in shipped_files.names():
        return define(shipped_files.debate(str(path_or_name)), format=format)
    if str(path_or_name) == "-":
        message = "'-' is not a debate: give a file, a name or a topic"
        raise InvalidInput(message)
    try:
        return define(read(Path(path_or_name)), personas, format=format)
    except NotFound as error:
        message = f"{error}; {IS_TOPIC}; {_hint(Path(path_or_name).stem)}"
        raise NotFound(message) from None


def _hint(name: str) -> str:
    close = _close(name)
    if close:
        return f"did you mean {' or '.join(close)}?"
    return "`moot debates` lists the debates that come with moot"


def _close(name: str) -> list[str]:
    return get_close_matches(name.lower(), shipped_files.names(), n=3)


def is_name(text: str) -> bool:
    """Whether `moot run TEXT` means a file or a shipped debate; any other text is a topic.

    A text that only looks like one counts too: `load` refuses it, whereas a debate begun by a
    typing error would cost money.
    """
    return is_file_name(text) or (_is_one_word(text) and bool(_close(text)))


def is_file_name(text: str) -> bool:
    """Whether the text is the name of something on the disk, there or not: `-`, `README.md`."""
    if text.lower().endswith(_SUFFIXES):
        return True
    if _is_one_word(text) and (text == "-" or _FILE_NAME.search(text)):
        return True
    try:
        return bool(text) and Path(text).exists()
    except (OSError, ValueError):  # too long for a path, or a NUL in it
        return False


def _is_one_word(text: str) -> bool:
    return bool(text) and not any(char.isspace() for char in text)


def from_topic(
    topic: str,
    *,
    format: str = USUAL,  # noqa: A002 - the word of the glossary
    settings: dict[str, Any] | None = None,
) -> Definition:
    """A debate on `topic` by the general personas; raises InvalidInput if the topic will not do."""
    return define(Document(data={"topic": topic, "format": format, "settings": settings or {}}))


@cache
def shipped() -> tuple[Shipped, ...]:
    """What `moot debates` tells of every shipped debate, by name."""
    found = ((name, load(name)) for name in shipped_files.names())
    return tuple(
        Shipped(
            name=name,
            format=d.format,
            topic=d.topic,
            premise=str(d.settings.get("premise", "")),
            cast=seats_of(d.participants or first_of(d.pools)),
        )
        for name, d in found
    )


def first_of(pools: Pools | None) -> tuple[Participant, ...]:
    """The first of each pool."""
    if pools is None:
        return ()
    pro, con = pools.pro[0], pools.con[0]
    judges = [(one, Role.JUDGE, Stance.NONE) for one in pools.audience[:1]]
    return seat([(pro, Role.DEBATER, Stance.PRO), (con, Role.DEBATER, Stance.CON), *judges])


# --- what somebody wants to be different this time ------------------------------------------------


def between(definition: Definition, participants: tuple[Participant, ...]) -> Definition:
    """The definition with these participants in place of its own."""
    return msgspec.structs.replace(definition, participants=participants, pools=None, models=())


def on(definition: Definition, topic: str) -> Definition:
    """The definition with that topic in place of its own, and without a premise, which was the
    other topic's. Raises InvalidInput if the topic will not do."""
    checked = from_topic(topic, format=definition.format).topic
    kept = {key: value for key, value in definition.settings.items() if key != "premise"}
    return msgspec.structs.replace(definition, topic=checked, settings=kept)


def changed(definition: Definition, *, settings: Mapping[str, Any]) -> Definition:
    """The definition with settings in place of its own.

    Raises InvalidInput for every setting that will not do, or that could only be ignored.
    """
    if SIDE in settings:
        _check_side(definition)
    given = {**definition.settings, **settings}
    if wrong := setting_mistakes(format_named(definition.format).settings, given):
        raise together(wrong)
    replaced = {f"settings.{key}" for key in settings}
    return msgspec.structs.replace(
        definition,
        settings=given,
        models=tuple(one for one in definition.models if one.field not in replaced),
    )


def _check_side(definition: Definition) -> None:
    if definition.pools:
        raise InvalidInput(POOLED, field=f"settings.{SIDE}")
    if any(one.stance is not Stance.NONE for one in definition.participants):
        raise InvalidInput(SIDED, field=f"settings.{SIDE}")


def check_models(
    definition: Definition,
    get: Callable[[str], object],
    *,
    is_replaced: Callable[[bool], bool] = lambda _is_judge: False,
) -> None:
    """Raises InvalidInput with the lines of all models in the file that cannot be had.

    `get` raises NoModel for those. `is_replaced(True)` says whether the judge's models are not used
    anyway, and `is_replaced(False)` the same of everybody else's.
    """
    mistakes = []
    for named in definition.models:
        if named.model == HUMAN or is_replaced(named.is_judge):
            continue
        try:
            get(named.model)
        except NoModel as error:
            loc = tuple(named.field.split("."))
            mistakes.append(located(str(error), definition.source, named.line, loc))
    if mistakes:
        raise together(mistakes)
