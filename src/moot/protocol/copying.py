"""Copies of a fold, so that one reader can go on where another stands without folding again.

Containers and the folds inside a fold are copied, the latter by their own `copied` if they have
one. What is in them is shared: events, participants and turns are never changed, only replaced by
others. So a copy costs a few list copies, however much has been said.
"""

from __future__ import annotations

from datetime import datetime
from enum import Enum
from types import NoneType
from typing import Any, TypeVar

import msgspec

from moot.protocol.turns import Turn

F = TypeVar("F")

_CONTAINERS = (dict, list, set)
_PLAIN = frozenset((NoneType, bool, int, float, str, tuple, frozenset, datetime))
_slots: dict[type, tuple[str, ...]] = {}


def copy_of(fold: F) -> F:
    """An independent copy of `fold`, which must be an object with slots, all of them set."""
    twin = object.__new__(type(fold))
    for name in slots_of(type(fold)):
        value = getattr(fold, name)
        setattr(twin, name, value if type(value) in _PLAIN else _copied(value))
    return twin


def slots_of(kind: type) -> tuple[str, ...]:
    """The names of everything in an object with slots, what it inherits included."""
    if kind not in _slots:
        names = (name for one in kind.__mro__ for name in getattr(one, "__slots__", ()))
        _slots[kind] = tuple(names)
    return _slots[kind]


def _copied(value: Any) -> Any:
    if isinstance(value, dict):
        # The values of a dict are all of one kind: either all of them can change or none.
        is_deep = value and _can_change(next(iter(value.values())))
        return {key: _copied(one) for key, one in value.items()} if is_deep else value.copy()
    if isinstance(value, list | set):
        return value.copy()
    if not _can_change(value):
        return value
    if hasattr(value, "copied"):
        return value.copied()
    if isinstance(value, msgspec.Struct):
        fields = value.__struct_fields__
        return type(value)(**{name: _copied(getattr(value, name)) for name in fields})
    return copy_of(value)


def _can_change(value: Any) -> bool:
    if isinstance(value, _CONTAINERS):
        return True
    if isinstance(value, msgspec.Struct):
        return not value.__struct_config__.frozen and not isinstance(value, Turn)
    return hasattr(type(value), "__slots__") and not isinstance(value, Enum)
