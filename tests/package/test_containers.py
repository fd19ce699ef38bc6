"""The Dockerfile and the compose file.

Where a container engine answers, they are built and started. Where none does, which the last test
then says, they are checked without one: both are read, what they copy is there and suffices for the
wheel, their commands, options and variables are ones that Moot has, and the commands of server and
workers run as plain processes on a real Postgres.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import secrets
import shutil
import signal
import subprocess
import sys
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import asyncpg
import pytest
from hatchling.builders.wheel import WheelBuilder
from tests.acceptance.terminals import PATIENCE_S, Provider
from tests.package.deployed import (
    GRACE_S,
    KNOWN,
    PAGE,
    ROOT,
    Unset,
    all_of,
    compose,
    copied,
    instructions,
    listed,
    parsed,
)

SECRETS = {"MOOT_TOKEN": "t" * 40, "MOOT_DB_PASSWORD": "p" * 40}
NEW = {"format": "rounds", "topic": "Cats or dogs?", "settings": {"max_rounds": 1}, "start": True}

# --- Dockerfile ---------------------------------------------------------------------------------


def test_everything_that_is_copied_is_there_and_not_ignored() -> None:
    ignored = (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines()
    allowed = [line.removeprefix("!") for line in ignored if line.startswith("!")]
    assert "*" in ignored
    assert len(copied()) > 6
    for source in copied():
        assert (ROOT / source).exists(), source
        assert any(source == one or source.startswith(f"{one}/") for one in allowed), source


def test_what_is_copied_suffices_to_build_the_wheel(tmp_path: Path) -> None:
    for source in copied():
        target = tmp_path / "build" / source
        target.parent.mkdir(parents=True, exist_ok=True)
        if (ROOT / source).is_dir():
            shutil.copytree(ROOT / source, target, ignore=lambda *_: ["__pycache__"])
        else:
            shutil.copy(ROOT / source, target)
    builder = WheelBuilder(str(tmp_path / "build"))
    (made,) = builder.build(directory=str(tmp_path), versions=["standard"])
    assert Path(made).stat().st_size > 1_000_000


def test_dependencies_come_from_the_locks_by_hash() -> None:
    steps = [step for rest in all_of("RUN") for step in rest.split("&&") if "pip install" in step]
    for step in steps:
        assert "--require-hashes" in step or "--no-index" in step
        for lock in re.findall(r"-r (\S+)", step):
            assert lock in copied()
    assert len(steps) == 3


def test_nothing_of_the_build_stays_and_nobody_is_root() -> None:
    words = list(instructions())
    last = max(n for n, (word, _) in enumerate(words) if word == "FROM")
    final = words[last:]
    bases = all_of("FROM")
    assert all(base.split()[0].endswith("-slim") for base in bases)
    assert len(bases) == 2
    assert ("USER", "moot") in final
    assert not any("pip" in rest or "apt" in rest for word, rest in final if word == "RUN")
    assert all(rest.startswith("--from=build") for word, rest in final if word == "COPY")


def test_home_is_a_volume() -> None:
    (variables,) = [one for one in all_of("ENV") if "MOOT_" in one]
    values = dict(part.split("=", 1) for part in variables.split())
    assert all_of("VOLUME") == [values.pop("MOOT_HOME")]
    assert set(values) == {"PATH"}


def test_its_command_is_one_of_ours_and_refuses_to_start_without_a_token(tmp_path: Path) -> None:
    (command,) = map(listed, all_of("CMD"))
    context = parsed(command)
    assert context.params["host"] == "0.0.0.0"  # noqa: S104 - inside of a container
    assert [str(context.params["port"])] == all_of("EXPOSE")
    done = subprocess.run(
        [sys.executable, "-m", *command],
        env={"MOOT_HOME": str(tmp_path / "home"), "PATH": os.environ["PATH"]},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert "MOOT_TOKEN" in done.stderr
    assert not (tmp_path / "home").exists()


# --- compose.yaml -------------------------------------------------------------------------------


def test_has_postgres_a_server_and_two_workers_that_are_kept_running() -> None:
    services = compose(SECRETS)["services"]
    assert list(services) == ["db", "server", "worker"]
    assert services["worker"]["deploy"] == {"replicas": 2}
    assert {one["restart"] for one in services.values()} == {"always"}
    for name in ("server", "worker"):
        assert services[name]["depends_on"] == {"db": {"condition": "service_healthy"}}
        assert int(services[name]["stop_grace_period"].removesuffix("s")) > GRACE_S
    assert services["db"]["healthcheck"]["test"][:2] == ["CMD", "pg_isready"]
    assert services["server"]["ports"] == ["127.0.0.1:8420:8420"]


@pytest.mark.parametrize("missing", SECRETS)
def test_does_not_start_without_its_secrets_and_says_how_to_make_one(missing: str) -> None:
    given = {name: text for name, text in SECRETS.items() if name != missing}
    with pytest.raises(Unset, match=f"{missing}: set it in .env .* openssl rand"):
        compose(given)


def test_has_no_secret_of_its_own() -> None:
    code = (ROOT / "compose.yaml").read_text(encoding="utf-8")
    named = re.findall(r"^ *(\w*(?:PASSWORD|TOKEN|KEY|SECRET)): *(.*)$", code, re.MULTILINE)
    assert {name for name, _ in named} >= {"POSTGRES_PASSWORD", "MOOT_TOKEN", "OPENAI_API_KEY"}
    assert [value for _, value in named if value and not value.startswith("${")] == []


@pytest.mark.parametrize("name", ["server", "worker"])
def test_its_commands_options_and_variables_are_ours(name: str) -> None:
    service = compose(SECRETS)["services"][name]
    parsed(service["command"])
    assert set(service["environment"]) <= KNOWN


def test_every_volume_that_is_used_is_declared_and_the_homes_agree() -> None:
    found = compose(SECRETS)
    mounts = [one for service in found["services"].values() for one in service.get("volumes", ())]
    assert {mount.split(":")[0] for mount in mounts} == set(found["volumes"])
    assert f"home:{all_of('VOLUME')[0]}" in mounts


# --- their commands as plain processes ----------------------------------------------------------


@contextmanager
def started(service: str, **more: str) -> Iterator[subprocess.Popen[str]]:
    """What a container would run, with the variables that it would have."""
    found = compose(SECRETS)["services"][service]
    own = {name: text for name, text in found["environment"].items() if text is not None}
    command = [word if word != "8420" else "0" for word in found["command"]]
    process = subprocess.Popen(
        [sys.executable, "-m", *command],
        env={"PATH": os.environ["PATH"], **own, **more},
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        yield process
        process.send_signal(signal.SIGTERM)
        assert process.wait(PATIENCE_S) == 0
    finally:
        process.kill()
        process.communicate()


def ask(url: str, body: Any = None) -> urllib.request.Request:
    data = None if body is None else json.dumps(body).encode()
    headers = {
        "Authorization": f"Bearer {SECRETS['MOOT_TOKEN']}",
        "Content-Type": "application/json",
    }
    return urllib.request.Request(url, data=data, headers=headers)  # noqa: S310 - loopback


def complete_a_debate(url: str) -> None:
    with urllib.request.urlopen(ask(f"{url}/api/debates", NEW), timeout=PATIENCE_S) as response:  # noqa: S310
        debate = json.loads(response.read())["id"]
    stream = ask(f"{url}/api/debates/{debate}/events")
    with urllib.request.urlopen(stream, timeout=PATIENCE_S) as response:  # noqa: S310
        events = [line.split()[1].decode() for line in response if line.startswith(b"event: ")]
    assert events[-1] == "DebateCompleted"
    assert "TurnRecorded" in events


def healthcheck(port: str) -> list[str]:
    """The image's, for another port."""
    (command,) = map(listed, all_of("HEALTHCHECK"))
    assert ":8420/healthz" in command[-1]
    return [sys.executable, *command[1:-1], command[-1].replace(":8420/", f":{port}/")]


async def rows_of_the_page(url: str) -> list[int]:
    """How many rows the statements have that the page tells people to look with."""
    (block,) = re.findall(r"^```sql\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
    statements = re.sub(r"^--.*$", "", block, flags=re.MULTILINE).split(";")
    connection = await asyncpg.connect(url)
    try:
        return [len(await connection.fetch(one)) for one in statements if one.strip()]
    finally:
        await connection.close()


@pytest.mark.postgres
@pytest.mark.timeout(180)
def test_server_and_workers_hold_a_debate_as_plain_processes(
    empty_postgres_url: str, provider: Callable[..., Provider], tmp_path: Path
) -> None:
    settings = {
        "MOOT_DATABASE_URL": empty_postgres_url,
        "MOOT_HOME": str(tmp_path),
        "MOOT_MODEL": "openai:test",
        "OPENAI_BASE_URL": provider().url,
    }
    with ExitStack() as stack:
        server = stack.enter_context(started("server", **settings))
        for _ in range(2):
            stack.enter_context(started("worker", **settings))
        assert server.stdout is not None
        line = server.stdout.readline()
        port = re.findall(r":(\d+)", line)[-1]
        subprocess.run(healthcheck(port), check=True)
        complete_a_debate(f"http://127.0.0.1:{port}")
        _, workers, _ = asyncio.run(rows_of_the_page(empty_postgres_url))
        assert workers == 2
    with pytest.raises(subprocess.CalledProcessError):
        subprocess.run(healthcheck(port), check=True, stderr=subprocess.DEVNULL)


# --- and where an engine answers, for real ------------------------------------------------------


def _answers(*command: str) -> bool:
    if shutil.which(command[0]) is None:
        return False
    return subprocess.run(command, capture_output=True, check=False).returncode == 0


@pytest.mark.timeout(1800)  # an image is built
@pytest.mark.skipif(
    not (_answers("docker", "info") and _answers("docker", "compose", "version")),
    reason="no container engine with compose answers here: the files were checked without one",
)
def test_the_containers_start_and_are_healthy() -> None:
    project = ["docker", "compose", "--project-name", f"moot-test-{secrets.token_hex(4)}"]
    environment = {**os.environ, **SECRETS}
    try:
        subprocess.run([*project, "up", "--build", "--wait"], cwd=ROOT, env=environment, check=True)
        ready = ask("http://127.0.0.1:8420/readyz")
        with urllib.request.urlopen(ready, timeout=PATIENCE_S) as answer:  # noqa: S310 - loopback
            assert answer.status == 200
    finally:
        subprocess.run([*project, "down", "--volumes"], cwd=ROOT, env=environment, check=True)
