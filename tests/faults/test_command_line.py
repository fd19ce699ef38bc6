"""`moot run` and `moot resume` as people use them: killed, interrupted, terminated."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from asyncio.subprocess import PIPE, Process
from contextlib import closing
from pathlib import Path

import pytest
from click.testing import CliRunner
from tests.faults.holding import DONE, PATIENCE_S, Child, Place, books, create, open_service

from moot.cli.app import cli as app
from moot.protocol.words import Status
from moot.store.sqlite_driver import sqlite3
from moot.testing.oracles import CANARY_KEY, check_book, check_no_secret, check_spending
from moot.testing.postgres import execute
from moot.testing.server import ScriptedServer

pytestmark = pytest.mark.faults

STOPPED, COMPLETED = 3, 0
CALLS = 14
"""Of a duel of two statements with a judge."""


class Terminal:
    """A shell in which somebody types `moot`."""

    def __init__(self, place: Place, **variables: str) -> None:
        self.place = place
        self._environment = {
            **os.environ,
            **place.environment(),
            "MOOT_HOME": place.home,
            "MOOT_MODEL": "openai:scripted",
            "MOOT_LOG_LEVEL": "DEBUG",
            **variables,
        }

    async def moot(self, *arguments: str) -> Process:
        command = (sys.executable, "-m", "moot", *arguments)
        return await asyncio.create_subprocess_exec(
            *command, env=self._environment, stdout=PIPE, stderr=PIPE
        )

    async def ended(self, process: Process) -> tuple[int, str]:
        """The exit code and everything it said."""
        async with asyncio.timeout(PATIENCE_S):
            out, err = await process.communicate()
        check_no_secret(out, err)
        assert process.returncode is not None
        assert b"Traceback" not in err, err.decode()
        return process.returncode, out.decode()

    async def said(self, *arguments: str) -> str:
        """What a command prints, asked in this process: it needs no signals, and starts at once."""
        runner = CliRunner(env=self._environment)
        result = await asyncio.to_thread(runner.invoke, app, arguments)
        assert result.exit_code == COMPLETED, result.output
        assert result.stdout
        return str(result.stdout)

    def the_debate(self) -> str:
        return self._row()[0]

    async def completed(self) -> None:
        """When another process has brought the debate to its end."""
        async with asyncio.timeout(PATIENCE_S):
            # Another process: there is no event to wait for.
            while self._row()[1] != "completed":  # noqa: ASYNC110
                await asyncio.sleep(0.02)

    async def repaired(self) -> None:
        """When another process has put the debate's row right."""
        async with asyncio.timeout(PATIENCE_S):
            while self._row()[2] == WRONG_SEQ:  # noqa: ASYNC110
                await asyncio.sleep(0.02)

    def _row(self) -> tuple[str, str, int]:
        with closing(sqlite3.connect(Path(self.place.home) / "moot.db")) as connection:
            found = connection.execute("SELECT id, status, seq FROM debates").fetchall()
        ((debate, status, seq),) = found
        return debate, status, seq


async def _until_called(server: ScriptedServer, count: int, process: Process) -> None:
    async with asyncio.timeout(PATIENCE_S):
        # Two processes: there is no event to wait for.
        while len(server.calls) < count and process.returncode is None:  # noqa: ASYNC110
            await asyncio.sleep(0.002)
    assert len(server.calls) >= count, (await process.communicate())[1].decode()


WRONG_SEQ = 999
RUN = ("run", "Should tests kill?", "--turns", "2", "--seed", "7", "--json")


async def test_resumes_at_once_after_kill_9(tmp_path: Path) -> None:
    async with ScriptedServer(latency_s=0.02) as server:
        place = Place(home=str(tmp_path / "home"), base_url=server.base_url)
        terminal = Terminal(place)
        process = await terminal.moot(*RUN)
        await _until_called(server, 3, process)
        process.kill()
        assert (await terminal.ended(process))[0] == -signal.SIGKILL
        debate = terminal.the_debate()
        calls = len(server.calls)
        again = await terminal.moot("resume", debate[:6], "--json")
        await _until_called(server, calls + 4, again)
        again.kill()
        await terminal.ended(again)
        assert await Child(place, [debate]).ended() == DONE
        found = await books(place, [debate])
        check_book(found[0])
        check_spending(server.calls, found, kills=2, in_flight=2)
        check_no_secret(tmp_path)


@pytest.mark.parametrize("way", ["resume", "serve"])
async def test_goes_on_with_the_models_it_was_created_with(tmp_path: Path, way: str) -> None:
    then = {"MOOT_MODEL": "openai:then", "MOOT_MODEL_JUDGE": "openai:then-judge"}
    now = ("MOOT_MODEL", "MOOT_MODEL_DEBATER", "MOOT_MODEL_JUDGE")
    async with ScriptedServer(latency_s=0.02) as server:
        place = Place(home=str(tmp_path / "home"), base_url=server.base_url)
        terminal = Terminal(place, **then)
        process = await terminal.moot(*RUN)
        await _until_called(server, 3, process)
        process.kill()
        await terminal.ended(process)
        calls = len(server.calls)
        assert calls < CALLS, "there was nothing left to go on with"
        later = Terminal(place, **dict.fromkeys(now, "openai:now"))
        options = [later.the_debate()] if way == "resume" else ["--port", "0"]
        going = await later.moot(way, *options)
        try:
            await later.completed()
        finally:
            going.kill()
            await going.communicate()
        models = [one.model for one in server.calls]
        assert set(models[calls:]) == set(models) == {"then", "then-judge"}


@pytest.mark.parametrize("way", ["resume", "serve"])
async def test_goes_on_although_the_row_says_that_it_is_over(tmp_path: Path, way: str) -> None:
    async with ScriptedServer(latency_s=0.02) as server:
        place = Place(home=str(tmp_path / "home"), base_url=server.base_url)
        terminal = Terminal(place)
        process = await terminal.moot(*RUN)
        await _until_called(server, 3, process)
        process.kill()
        await terminal.ended(process)
        debate = terminal.the_debate()
        with closing(sqlite3.connect(tmp_path / "home" / "moot.db")) as connection, connection:
            connection.execute("UPDATE debates SET status = 'completed', seq = ?", (WRONG_SEQ,))
        options = [debate] if way == "resume" else ["--port", "0"]
        going = await terminal.moot(way, *options)
        try:
            await terminal.repaired()
            await terminal.completed()
        finally:
            going.kill()
            await going.communicate()
        found = await books(place, [debate])
        check_book(found[0])
        check_spending(server.calls, found, kills=1, in_flight=2)


@pytest.mark.parametrize("way", ["show", "resume", "export --as md"])
def test_puts_a_row_right_that_says_of_a_debate_that_is_over_that_it_runs(
    way: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MOOT_HOME", str(tmp_path))
    opened = CliRunner().invoke(app, ["samples", "open", "separate-accounts"])
    debate = opened.stdout.strip()
    with closing(sqlite3.connect(tmp_path / "moot.db")) as connection:
        found = "SELECT status, seq FROM debates"
        (right,) = connection.execute(found).fetchall()
        with connection:
            connection.execute("UPDATE debates SET status = 'running', seq = 5")
        assert CliRunner().invoke(app, [*way.split(), debate]).exit_code == 0
        assert connection.execute(found).fetchall() == [right]


@pytest.mark.postgres
@pytest.mark.xdist_group("postgres-workers")
async def test_a_worker_goes_on_although_the_row_says_that_it_is_over(
    tmp_path: Path, empty_postgres_url: str
) -> None:
    async with ScriptedServer(latency_s=0.01) as server:
        home, url = str(tmp_path / "home"), empty_postgres_url
        place = Place(home=home, base_url=server.base_url, database_url=url)
        debates = await create(place, "Is it over?", turns=2)
        async with open_service(place) as service:
            await service.command(debates[0], "start")
        await execute(url, f"UPDATE debates SET status = 'completed', seq = {WRONG_SEQ}")  # noqa: S608
        going = await Terminal(place, MOOT_DATABASE_URL=url).moot("worker")
        try:
            async with asyncio.timeout(PATIENCE_S):
                found = await books(place, debates)
                while found[0].state.status is not Status.COMPLETED:
                    await asyncio.sleep(0.1)
                    found = await books(place, debates)
        finally:
            going.kill()
            await going.communicate()
        check_book(found[0])
        check_spending(server.calls, found)


@pytest.mark.parametrize(("number", "in_flight"), [(signal.SIGINT, 0), (signal.SIGTERM, 2)])
async def test_stops_cleanly_when_asked_to(
    tmp_path: Path, number: signal.Signals, in_flight: int
) -> None:
    async with ScriptedServer(latency_s=0.1) as server:
        place = Place(home=str(tmp_path / "home"), base_url=server.base_url)
        terminal = Terminal(place)
        process = await terminal.moot(*RUN)
        await _until_called(server, 4, process)
        process.send_signal(number)
        code, _ = await terminal.ended(process)
        assert code == STOPPED
        debate = terminal.the_debate()
        assert await Child(place, [debate]).ended() == DONE
        found = await books(place, [debate])
        check_book(found[0])
        # A stop lets the step in flight finish, a termination drops it.
        extra = check_spending(server.calls, found, kills=1, in_flight=in_flight)
        assert len(server.calls) == CALLS + extra


async def test_exports_of_every_kind_keep_the_key_to_themselves(tmp_path: Path) -> None:
    assert CANARY_KEY in os.environ["OPENAI_API_KEY"]
    async with ScriptedServer(faults=["status_401_echoes_key"]) as server:
        place = Place(home=str(tmp_path / "home"), base_url=server.base_url)
        terminal = Terminal(place)
        # The provider itself echoes the key in its refusal: the debate fails and can be resumed.
        code, _ = await terminal.ended(await terminal.moot(*RUN))
        assert code == 4
        debate = terminal.the_debate()
        assert await Child(place, [debate]).ended() == DONE
        for kind in ("md", "html", "json", "csv"):
            check_no_secret(await terminal.said("export", debate, "--as", kind))
        check_no_secret(await terminal.said("show", debate, "--private", "--json"), tmp_path)
