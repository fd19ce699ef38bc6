"""A cache of what was made for a name, for the names that were used last.

Clients may name any model, so whatever is kept by a model's name needs a bound.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")

MOST = 1000


class Recent(Generic[K, V]):
    """Safe for threads: if two make the same thing at once, both get what was kept first."""

    def __init__(self, most: int = MOST) -> None:
        self._most = most
        self._kept: OrderedDict[K, V] = OrderedDict()
        self._lock = threading.Lock()

    def __len__(self) -> int:
        return len(self._kept)

    def get(self, key: K) -> V | None:
        # Used several times in every call, so without the lock: each step is atomic by itself.
        found = self._kept.get(key)
        if found is not None:
            try:  # noqa: SIM105  `suppress` would cost more than all the rest
                self._kept.move_to_end(key)
            except KeyError:  # another thread has let it go just now
                pass
        return found

    def get_or_make(self, key: K, make: Callable[[], V]) -> V:
        """What is kept under `key`; made now if there is nothing. `make` may block or raise."""
        found = self.get(key)
        return self.put(key, make(), is_new=True) if found is None else found

    def put(self, key: K, value: V, *, is_new: bool = False) -> V:
        """Keep `value`, and return what is kept now: if it `is_new`, what is there already."""
        with self._lock:
            if not is_new or key not in self._kept:
                self._kept[key] = value
            self._kept.move_to_end(key)
            while len(self._kept) > self._most:
                self._kept.popitem(last=False)
            return self._kept[key]
