"""Starts the server and the peers, each as a process of its own, and reads what they say."""

from __future__ import annotations

import http.client
import os
import statistics
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import msgspec

from benchmarks.figure import Attempt, PeerFailed
from benchmarks.measure import Job, Used

ROOT = Path(__file__).parents[1]
LIMIT_S = 300


class Server(msgspec.Struct, frozen=True):
    """A running server and how much CPU it has used."""

    url: str

    def latency_s(self) -> float:
        """What a call really takes on the wire: timers are rounded up to milliseconds."""
        where = urlsplit(self.url)
        connection = http.client.HTTPConnection(where.hostname or "", where.port)
        found = []
        for _ in range(15):
            started = time.perf_counter()
            connection.request("POST", "/v1/chat/completions", b'{"messages":[{"content":""}]}')
            connection.getresponse().read()
            found.append(time.perf_counter() - started)
        connection.close()
        return statistics.median(found)

    def cpu_s(self) -> float:
        with urllib.request.urlopen(self.url.replace("/v1", "/cpu")) as response:  # noqa: S310 - ours
            body = msgspec.json.decode(response.read())
        return float(body["choices"][0]["message"]["content"])


@contextmanager
def server(*, latency_s: float = 0.0, gap_s: float = 0.0, words: int = 40) -> Iterator[Server]:
    """The provider, kept on the last core: with two cores, peers have one to themselves."""
    options = ("--latency", str(latency_s), "--gap", str(gap_s), "--words", str(words))
    command = [sys.executable, "-m", "benchmarks.server", *options]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        try:
            if hasattr(os, "sched_setaffinity"):
                os.sched_setaffinity(process.pid, {max(os.sched_getaffinity(0))})
            assert process.stdout is not None
            yield Server(process.stdout.readline().strip())
        finally:
            process.terminate()


def measured(peer: str, job: Job) -> Attempt[list[Used]]:
    """What the peer used in each repetition."""
    return Attempt(lambda: msgspec.json.decode(_said(peer, job), type=list[Used]))


def costs_measured(job: Job) -> Attempt[list[float]]:
    """The CPU milliseconds of each thing that Moot did, one after the other."""
    return Attempt(lambda: msgspec.json.decode(_said("moot", job), type=list[float]))


def _said(peer: str, job: Job) -> str:
    command = [sys.executable, "-m", f"benchmarks.peers.{peer}", msgspec.json.encode(job).decode()]
    try:
        done = subprocess.run(
            command, cwd=ROOT, capture_output=True, text=True, timeout=LIMIT_S, check=True
        )
    except subprocess.TimeoutExpired:
        reason = f"{peer} did not end within {LIMIT_S} s"
        raise PeerFailed(reason) from None
    except subprocess.CalledProcessError as failed:
        print(failed.stderr, file=sys.stderr)
        last = [line.strip() for line in failed.stderr.splitlines() if line.strip()][-1:]
        reason = f"{peer}: {last[0] if last else f'exit code {failed.returncode}'}"
        raise PeerFailed(reason) from None
    return done.stdout
