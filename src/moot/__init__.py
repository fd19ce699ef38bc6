"""Moot runs debates, deliberations and chat rooms between language models and people, durably.

`moot.open()` is the door for programs; see `moot.library`. Nothing is imported before it is used,
so that `moot --help` answers at once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from moot.library import Debate as Debate, Moot as Moot, open_moot as open  # noqa: A004

_NAMES = {"open": "open_moot", "Moot": "Moot", "Debate": "Debate"}

__all__ = ["Debate", "Moot", "open"]


def __getattr__(name: str) -> Any:
    if name not in _NAMES:
        message = f"module 'moot' has no attribute {name!r}"
        raise AttributeError(message)
    from moot import library  # noqa: PLC0415 - see the docstring

    return getattr(library, _NAMES[name])
