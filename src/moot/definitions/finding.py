"""Which persona is meant: by name, by title, or by the beginning of either.

People write `ada`, `architect` or `miriam`; what they get must be the one they meant, or nobody.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from difflib import get_close_matches
from typing import Protocol, TypeVar

from moot.errors import NotFound
from moot.protocol.names import NAME_MAX, fold_name

SHOWN_MAX = 5
_ARTICLE = "the "


class Called(Protocol):
    """Whoever has a name and a title: personas and participants. No title is an empty one."""

    @property
    def name(self) -> str: ...

    @property
    def title(self) -> str: ...


One = TypeVar("One", bound=Called)


def pick(wanted: str, among: Sequence[One], *, kind: str, advice: str) -> One:
    """The one of that exact name, else of that title, else the only one that begins so.

    Case and punctuation do not matter. Of two with the same name or title, the first of `among`
    is taken if its name is the same, and nobody if it is not. Raises NotFound with suggestions.
    """
    folded = fold_name(wanted)
    for fits in _WAYS if folded else ():
        found = [one for one in among if fits(one, folded)]
        if len({fold_name(one.name) for one in found}) > 1:
            raise NotFound(_several(wanted, found))
        if found:
            return found[0]
    raise NotFound(_missing(wanted, among, kind=kind, advice=advice))


def _is_named(one: Called, folded: str) -> bool:
    return fold_name(one.name) == folded


def _is_titled(one: Called, folded: str) -> bool:
    return folded in _titles(one)


def _begins(one: Called, folded: str) -> bool:
    return any(form.startswith(folded) for form in (fold_name(one.name), *_titles(one)))


_WAYS: Sequence[Callable[[Called, str], bool]] = (_is_named, _is_titled, _begins)


def _titles(one: Called) -> Iterator[str]:
    """The title as it is compared: `The Surgeon` is called `surgeon` too."""
    if one.title:
        yield fold_name(one.title)
        if one.title.lower().startswith(_ARTICLE):
            yield fold_name(one.title[len(_ARTICLE) :])


def _several(wanted: str, found: Sequence[Called]) -> str:
    shown = [_shown(one) for one in found[:SHOWN_MAX]]
    more = f" and {len(found) - SHOWN_MAX} more" if len(found) > SHOWN_MAX else ""
    return f"{wanted[:NAME_MAX]} could be {', '.join(shown)}{more}; write more of the name"


def _missing(wanted: str, among: Sequence[Called], *, kind: str, advice: str) -> str:
    by_form = {
        form.lower(): one for one in reversed(among) for form in (one.title, one.name) if form
    }
    close = get_close_matches(wanted.lower(), by_form, n=3)
    # Two forms may belong to one and the same.
    shown = dict.fromkeys(_shown(by_form[form]) for form in close)
    hint = f"did you mean {' or '.join(shown)}?" if shown else advice
    return f"there is no {kind} called {wanted[:NAME_MAX]}; {hint}"


def _shown(one: Called) -> str:
    return f"{one.name} ({one.title})" if one.title else one.name
