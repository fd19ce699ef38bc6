"""Who this process is, and whether another process of this machine is gone.

A living process must never be taken for a dead one: what cannot be known is None, not True.
"""

from __future__ import annotations

import functools
import os
import platform
import secrets
import subprocess
import sys
from pathlib import Path

from moot.store.port import WorkerId

_PROC = Path("/proc")
# Fields 3 and 22 of /proc/PID/stat, counted behind the command's closing bracket.
_STATE, _START_TIME = 0, 19
# A zombie: its parent has not asked for its exit code yet, but it writes nothing any more.
_ENDED = "ended"


def this_worker() -> WorkerId:
    """A new identity for this process; every call gives another one."""
    pid = os.getpid()
    return WorkerId(
        id=secrets.token_hex(8), machine=machine(), pid=pid, started=_started(pid) or "unknown"
    )


def is_gone(worker: WorkerId) -> bool | None:
    """Whether the worker's process has ended; None where that cannot be seen from here."""
    if worker.machine != machine() or worker.started == "unknown":
        return None
    started = _started(worker.pid)
    if started is not None:
        return started != worker.started
    return None if _exists(worker.pid) else True


@functools.cache
def machine() -> str:
    """Equal for two processes exactly if one can see the other: host, boot, pid namespace."""
    return f"{platform.node()}/{boot()}/{_pid_namespace()}"


@functools.cache
def boot() -> str:
    """Which start of the machine this is; monotonic times compare only within one."""
    if sys.platform == "linux":
        return (_PROC / "sys/kernel/random/boot_id").read_text().strip()
    if sys.platform == "darwin":
        return _ask("/usr/sbin/sysctl", "-n", "kern.bootsessionuuid")
    return "unknown"


def _pid_namespace() -> str:
    try:
        return str((_PROC / "self/ns/pid").readlink())
    except OSError:
        return "unknown" if sys.platform == "linux" else "only"


def _started(pid: int) -> str | None:
    """When the process began, as the system tells it, or None if it does not."""
    if sys.platform == "linux":
        try:
            stat = (_PROC / str(pid) / "stat").read_text(errors="replace")
        except OSError:
            return None
        # The command's name may contain anything, spaces and brackets too.
        fields = stat.rpartition(")")[2].split()
        return _ENDED if fields[_STATE] in "ZX" else fields[_START_TIME]
    if sys.platform == "win32":
        return None
    return _ask("/bin/ps", "-o", "lstart=", "-p", str(pid)) or None


def _exists(pid: int) -> bool:
    if sys.platform == "win32":
        return True  # cannot be asked without harm: os.kill ends the process there
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True


def _ask(*command: str) -> str:
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=5, check=False)  # noqa: S603 - fixed commands
    except (OSError, subprocess.SubprocessError):
        return ""
    return done.stdout.strip()
