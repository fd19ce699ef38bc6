"""What asyncpg and the network raise, in Moot's words. No foreign exception leaves the backend."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import asyncpg

from moot.errors import Conflict, DiskFull, InvalidInput, MootError, StoreError, StoreUnavailable

# By the first characters of SQLSTATE (postgresql.org, appendix A), the longest that fits.
_BY_STATE: dict[str, tuple[type[StoreError], str]] = {
    "08": (StoreUnavailable, "the connection to Postgres was lost: check that it is running"),
    "23505": (Conflict, "a step of this debate is recorded already"),
    "25006": (StoreUnavailable, "Postgres is read-only: connect to the primary"),
    "28": (StoreUnavailable, "Postgres refused the login: check user and password in the URL"),
    "3D": (StoreUnavailable, "this database does not exist: create it, or correct the URL"),
    "40": (StoreUnavailable, "Postgres rolled the transaction back: try again"),
    "53": (StoreUnavailable, "Postgres is out of memory or connections"),
    "53100": (
        DiskFull,
        "the disk of the Postgres server is full: free some space, and all goes on by itself",
    ),
    "55": (StoreUnavailable, "Postgres waited for a lock too long: try again"),
    "57": (StoreUnavailable, "Postgres is starting, stopping or was told to stop: try again"),
    "58": (StoreUnavailable, "Postgres reports an error of its disk"),
}
LOST = (
    asyncpg.PostgresConnectionError,
    asyncpg.OperatorInterventionError,  # told to stop; the connection is closed a moment later
    asyncpg.InternalClientError,  # cut between two messages: its state is unknown
    OSError,
)
"""After these a connection is of no use any more."""

_UNREACHABLE = "Postgres cannot be reached: check that it is running and that the URL is right"


@contextmanager
def translated() -> Iterator[None]:
    try:
        yield
    except MootError:
        raise
    except (asyncpg.DataError, UnicodeError, OverflowError) as error:
        message = f"this value cannot be stored: {error}"
        raise InvalidInput(message) from error
    except asyncpg.PostgresError as error:
        raise _by_state(error) from error
    except (asyncpg.InterfaceError, asyncpg.InternalClientError, OSError, EOFError) as error:
        message = f"{_UNREACHABLE} ({type(error).__name__}: {error})"
        raise StoreUnavailable(message) from error


def _by_state(error: asyncpg.PostgresError) -> StoreError:
    state = error.sqlstate or ""
    for length in (5, 2):
        if known := _BY_STATE.get(state[:length]):
            return known[0](f"{known[1]} ({error})")
    return StoreError(f"Postgres: {error}")
