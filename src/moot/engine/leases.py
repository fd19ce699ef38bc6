"""Keeps this process's leases alive, from a thread of its own.

A slow call, a blocked event loop or a busy CPU must not lose a debate: only a process that is
stopped or gone may. One renewal keeps every lease of the worker.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable

from moot.engine import failpoints
from moot.errors import LeaseLost, StoreError
from moot.store.port import Store, WorkerId

log = logging.getLogger(__name__)

TTL_S = 15.0
RENEWALS_PER_TTL = 4


class LeaseKeeper:
    """Renews until closed.

    Each of these is called at most once, from the thread: `on_lost` if another worker took over,
    `on_died` with the error if the thread ends by a mistake of ours, for then nobody keeps the
    leases.
    """

    def __init__(
        self,
        store: Store,
        worker: WorkerId,
        *,
        on_lost: Callable[[], object],
        on_died: Callable[[BaseException], object],
        ttl_s: float = TTL_S,
    ) -> None:
        self.is_keeping = True
        """Whether the last renewal succeeded."""
        self._store = store
        self._worker = worker
        self._on_lost = on_lost
        self._on_died = on_died
        self._ttl_s = ttl_s
        self._closing = threading.Event()
        self._thread = threading.Thread(target=self._keep, name="moot-leases", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        """`close` without waiting for a renewal that is under way."""
        self._closing.set()

    def close(self) -> None:
        self.stop()
        if self._thread.is_alive():
            self._thread.join()

    def _keep(self) -> None:
        try:
            self._renew()
        except BaseException as error:  # noqa: BLE001 - whatever it is, the process must hear of it
            self.is_keeping = False
            self._on_died(error)

    def _renew(self) -> None:
        while not self._closing.wait(self._ttl_s / RENEWALS_PER_TTL):
            failpoints.reach("lease_keeper")
            try:
                self._store.enlist_blocking(self._worker, ttl_s=self._ttl_s)
                self.is_keeping = True
            except LeaseLost:
                if self._closing.is_set():  # of no interest any more
                    return
                log.warning("leases lost", extra={"worker": self._worker.id})
                self._on_lost()
                return
            except StoreError as error:
                # The store may be back before the leases run out; if not, the fence protects.
                self.is_keeping = False
                extra = {"worker": self._worker.id, "error": str(error)}
                log.warning("leases not renewed", extra=extra)
