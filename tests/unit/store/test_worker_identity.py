"""Who is a worker, and is it gone?"""

from __future__ import annotations

import os
import subprocess
import sys

import msgspec

from moot.store.port import WorkerId
from moot.store.worker_identity import _started, is_gone, this_worker


def of_process(pid: int) -> WorkerId:
    return msgspec.structs.replace(this_worker(), pid=pid, started=_started(pid) or "unknown")


def test_gives_every_worker_an_id_of_its_own() -> None:
    one, two = this_worker(), this_worker()
    assert one.id != two.id
    assert msgspec.structs.replace(one, id=two.id) == two
    assert one.pid == os.getpid()


def test_sees_that_this_process_is_there() -> None:
    assert is_gone(this_worker()) is False


def test_sees_that_a_process_has_ended_even_before_it_is_waited_for() -> None:
    process = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    worker = of_process(process.pid)
    assert is_gone(worker) is False
    process.kill()
    os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)  # ended, and still a zombie
    assert is_gone(worker) is True
    process.communicate()
    assert is_gone(worker) is True


def test_does_not_take_a_pid_used_again_for_the_old_process() -> None:
    assert is_gone(msgspec.structs.replace(this_worker(), started="1")) is True


def test_does_not_know_about_other_machines() -> None:
    elsewhere = msgspec.structs.replace(this_worker(), machine="elsewhere", pid=2**22 + 1)
    assert is_gone(elsewhere) is None


def test_does_not_know_where_the_system_tells_no_start_time() -> None:
    assert is_gone(msgspec.structs.replace(this_worker(), started="unknown")) is None
