"""Debates changed from other terminals: commands in every status, watching, answering, deleting.

Issue 3, "Lifecycle": refused commands change nothing, and the command line works on the same
database while another process runs the debate.
"""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.acceptance.terminals import (
    HUMAN,
    PATIENCE_S,
    Moot,
    Provider,
    Terminal,
    environment,
    process,
    read_until,
    the_id,
)

from moot.errors import ModelRefused

NEW = ("remote-work", "--model", "openai:test", "--turns", "1", "--seed", "3")
HUMAN_JUDGE = """
topic: Should people judge machines?
turns: 1
debaters: [{name: Ada}, {name: Bo}]
judge: {name: Jo, model: human}
"""

TABLE: dict[str, dict[str, str]] = {
    "created": {"start": "running", "cancel": "canceled", "delete": ""},
    "running": {"stop": "stopping", "end": "running", "cancel": "canceled"},
    "waiting": {"stop": "stopped", "end": "running", "cancel": "canceled", "delete": ""},
    "stopping": {"end": "running", "cancel": "canceled"},
    "stopped": {"end": "running", "cancel": "canceled", "delete": ""},
    "failed": {"retry": "running", "end": "running", "cancel": "canceled", "delete": ""},
    "completed": {"delete": ""},
    "canceled": {"delete": ""},
}
"""For each status the commands that are carried out, and the status they lead to."""
COMMANDS = ("start", "stop", "end", "cancel", "retry", "delete")
GO_ON = {"created": "running", "stopping": "running", "stopped": "running", "failed": "running"}


def fails(_: Any) -> Any:
    return ModelRefused("no luck")


def debate_that_is(status: str, moot: Moot, home: Path) -> str:
    path = home.parent / "human.yaml"
    path.write_text(HUMAN)
    ways: dict[str, list[tuple[str, ...]]] = {
        "created": [("create", *NEW)],
        "running": [("create", *NEW, "--start")],
        "waiting": [("run", str(path))],
        "stopping": [("create", *NEW, "--start"), ("stop",)],
        "stopped": [("run", str(path)), ("stop",)],
        "failed": [("run", *NEW)],
        "completed": [("run", *NEW)],
        "canceled": [("create", *NEW), ("cancel",)],
    }
    first, *others = ways[status]
    moot(*first, **({"script": fails} if status == "failed" else {}))
    debate_id = the_id(moot)
    for other in others:
        moot(*other, debate_id)
    assert status_of(moot, debate_id) == status
    return debate_id


def status_of(moot: Moot, debate_id: str) -> str:
    lines = map(json.loads, moot("list", "--json").stdout.splitlines())
    return next((str(line["status"]) for line in lines if line["id"] == debate_id), "")


def log_of(moot: Moot, debate_id: str) -> str:
    return moot("show", debate_id, "--json", "--private").stdout


def types(lines: str) -> list[str]:
    return [json.loads(line)["type"] for line in lines.splitlines()]


# --- every command, in every status ---------------------------------------------------------------
# Every pair of the two is tried in tests/unit/engine/test_service.py.


@pytest.mark.parametrize(
    ("status", "command"),
    [
        ("created", "start"),
        ("created", "stop"),
        ("running", "stop"),
        ("running", "start"),
        ("running", "delete"),
        ("waiting", "stop"),
        ("waiting", "end"),
        ("waiting", "retry"),
        ("stopping", "cancel"),
        ("stopping", "stop"),
        ("stopped", "end"),
        ("stopped", "retry"),
        ("failed", "retry"),
        ("failed", "start"),
        ("completed", "delete"),
        ("completed", "end"),
        ("canceled", "delete"),
        ("canceled", "cancel"),
    ],
)
def test_a_command_is_carried_out_or_refused_as_a_whole(
    moot: Moot, home: Path, status: str, command: str
) -> None:
    debate_id = debate_that_is(status, moot, home)
    before = log_of(moot, debate_id)
    done = moot(command, debate_id[:8], *(["--yes"] if command == "delete" else []))

    if command in TABLE[status]:
        assert done.exit_code == 0, done.stderr
        assert done.stdout.startswith(f"{debate_id}: {TABLE[status][command] or 'deleted'}")
        assert status_of(moot, debate_id) == TABLE[status][command]
    else:
        assert done.exit_code == 2
        assert done.stdout == ""
        assert f"cannot {command} a debate that is {status}" in done.stderr
        assert log_of(moot, debate_id) == before


@pytest.mark.parametrize("status", ["running", "waiting", "completed", "canceled", *GO_ON])
def test_a_detached_resume_leaves_the_running_to_others(
    moot: Moot, home: Path, status: str
) -> None:
    debate_id = debate_that_is(status, moot, home)
    before = log_of(moot, debate_id)
    done = moot("resume", debate_id, "--detach")

    assert done.exit_code == (0 if status in GO_ON else 2)
    assert status_of(moot, debate_id) == GO_ON.get(status, status)
    grown = types(log_of(moot, debate_id).removeprefix(before))
    assert len(grown) == (1 if status in GO_ON else 0)


def test_a_command_says_what_happens_next(moot: Moot, home: Path) -> None:
    debate_id = debate_that_is("created", moot, home)
    started = moot("start", debate_id).stdout

    assert "a server or worker will take it" in started
    assert f"moot resume {debate_id}" in started
    assert "possible now: stop, end, cancel" in moot("start", debate_id).stderr
    assert "no process is running it" in moot("stop", debate_id).stdout
    assert f"moot show {debate_id}" in moot("cancel", debate_id).stdout
    assert "a debate that is canceled: it is over\n" in moot("start", debate_id).stderr


def test_commands_print_the_summary_as_json(moot: Moot) -> None:
    created = json.loads(moot("create", *NEW, "--json").stdout)
    started = json.loads(moot("start", created["id"], "--json").stdout)
    canceled = json.loads(moot("cancel", created["id"], "--json").stdout)
    deleted = json.loads(moot("delete", created["id"], "--yes", "--json").stdout)

    assert [one["status"] for one in (created, started, canceled, deleted)] == [
        "created",
        "running",
        "canceled",
        "canceled",
    ]
    assert {one["id"] for one in (created, started, canceled, deleted)} == {created["id"]}


@pytest.mark.parametrize("command", [*COMMANDS, "watch", "answer"])
def test_an_unknown_debate_is_not_found(moot: Moot, command: str) -> None:
    done = moot(command, "zzzz")

    assert done.exit_code == 7
    assert done.stdout == ""


# --- create and delete ----------------------------------------------------------------------------


def test_create_prints_the_id_and_runs_nothing(moot: Moot) -> None:
    done = moot("create", *NEW)
    debate_id = done.stdout.strip()

    assert debate_id == the_id(moot)
    assert f"moot start {debate_id}" in done.stderr
    assert types(log_of(moot, debate_id)) == ["DebateCreated"]
    assert moot("create", "x", "--turns", "0").exit_code == 2
    assert len(moot("list", "--json").stdout.splitlines()) == 1


def test_what_was_created_and_started_is_run_from_wherever_somebody_runs_it(moot: Moot) -> None:
    debate_id = moot("create", *NEW, "--start").stdout.strip()
    assert status_of(moot, debate_id) == "running"

    assert moot("resume", debate_id, "--quiet").exit_code == 0
    assert status_of(moot, debate_id) == "completed"
    assert "DebateRecovered" not in types(log_of(moot, debate_id))


def test_nothing_is_deleted_where_nobody_can_be_asked(moot: Moot, home: Path) -> None:
    debate_id = debate_that_is("completed", moot, home)
    before = log_of(moot, debate_id)
    done = moot("delete", debate_id)

    assert done.exit_code == 2
    assert "--yes" in done.stderr
    assert log_of(moot, debate_id) == before


# Behind Ctrl-C there is a line, for it may come just before the prompt begins to read.
@pytest.mark.parametrize(("typed", "code"), [("y\n", 0), ("n\n", 2), ("\n", 2), ("\x03n\n", 130)])
def test_a_person_is_asked_before_a_debate_is_deleted(
    moot: Moot, home: Path, provider: Callable[..., Provider], typed: str, code: int
) -> None:
    debate_id = debate_that_is("created", moot, home)
    terminal = Terminal(provider(), "delete", debate_id[:6])
    terminal.wait_for("[y/N]")
    assert debate_id in terminal.seen
    terminal.type(typed)

    assert terminal.exit_code() == code, terminal.seen
    assert status_of(moot, debate_id) == ("" if code == 0 else "created")


# --- watch ----------------------------------------------------------------------------------------


def start_in_background(server: Provider, moot: Moot) -> tuple[str, subprocess.Popen[str]]:
    """A debate that another process is in the middle of."""
    debate_id = moot("create", *NEW).stdout.strip()
    running = process(server, "resume", debate_id, "--json")
    read_until(running, "TurnRecorded")
    return debate_id, running


def finished(one: subprocess.Popen[str]) -> tuple[int, str, str]:
    out, err = one.communicate(timeout=PATIENCE_S)
    return one.returncode, out, err


@pytest.mark.parametrize("options", [(), ("--json",), ("--hide-private",)])
def test_watching_another_process_shows_what_show_shows(
    home: Path, moot: Moot, provider: Callable[..., Provider], options: tuple[str, ...]
) -> None:
    server = provider("--latency", "0.2")
    debate_id, running = start_in_background(server, moot)
    code, out, err = finished(process(server, "watch", debate_id[:6], *options))
    assert finished(running)[0] == 0

    private = () if "--hide-private" in options else ("--private",)
    json_ = options if "--json" in options else ()
    shown = moot("show", debate_id, *private, *json_).stdout
    assert code == 0, err
    assert err == ""
    if json_:
        assert out == shown
    else:
        assert out == f"{shown}see it again with: moot show {debate_id} --private\n"


def test_watching_is_resumed_after_any_event(moot: Moot, home: Path) -> None:
    debate_id = debate_that_is("completed", moot, home)
    everything = log_of(moot, debate_id).splitlines()
    public = moot("show", debate_id, "--json").stdout.splitlines()

    for after in (0, 1, 7, len(everything), 1000):
        done = moot("watch", debate_id, "--json", "--after", str(after))
        assert done.exit_code == 0
        assert done.stdout.splitlines() == everything[after:]
    hidden = moot("watch", debate_id, "--json", "--hide-private").stdout.splitlines()
    assert hidden == public
    assert moot("watch", debate_id, "--after", "-1").exit_code == 2
    assert moot("watch", debate_id, "--quiet").stdout.startswith("VERDICT\n")
    later = moot("watch", debate_id, "--after", "7").stdout
    assert "continuing after" in later
    assert "VERDICT" in later


def test_ctrl_c_ends_the_watching_and_not_the_debate(
    home: Path, moot: Moot, provider: Callable[..., Provider]
) -> None:
    server = provider("--latency", "0.4")
    debate_id, running = start_in_background(server, moot)
    watching = process(server, "watch", debate_id, "--json")
    read_until(watching, "TurnRecorded")
    watching.send_signal(signal.SIGINT)
    code, _, err = finished(watching)

    assert code == 130
    assert f"the debate is not affected. Watch again: moot watch {debate_id}" in err
    assert "Traceback" not in err
    assert finished(running)[0] == 0
    assert "StopRequested" not in types(log_of(moot, debate_id))


@pytest.mark.parametrize(
    ("status", "told"),
    [
        ("created", "not started"),
        ("running", "no process has it yet"),
        ("waiting", "waiting for an answer; answer with: moot answer"),
        ("stopping", "no process is running it"),
        ("stopped", "stopped; continue with: moot resume"),
        ("failed", "failed; try again with: moot resume"),
    ],
)
def test_a_debate_that_stands_still_is_said_to_and_watched_on(
    home: Path, moot: Moot, provider: Callable[..., Provider], status: str, told: str
) -> None:
    debate_id = debate_that_is(status, moot, home)
    watching = process(provider(), "watch", debate_id, "--json", stdin=subprocess.DEVNULL)
    assert watching.stderr is not None
    line = watching.stderr.readline()
    assert told in line
    assert "still watching" in line

    assert moot("cancel", debate_id).exit_code == 0
    code, out, err = finished(watching)
    assert code == 3
    assert types(out)[-1] == "DebateCanceled"
    assert err == "moot: canceled\n"


def test_a_debate_that_is_deleted_is_not_watched_any_more(
    home: Path, moot: Moot, provider: Callable[..., Provider]
) -> None:
    debate_id = debate_that_is("created", moot, home)
    watching = process(provider(), "watch", debate_id, "--json")
    read_until(watching, "DebateCreated")
    moot("delete", debate_id, "--yes")
    code, _, err = finished(watching)

    assert code == 7
    assert "Traceback" not in err


def test_a_terminal_that_watches_says_whom_it_waits_for(
    home: Path, moot: Moot, provider: Callable[..., Provider]
) -> None:
    server = provider("--latency", "0.5")
    debate_id, running = start_in_background(server, moot)
    terminal = Terminal(server, "watch", debate_id)

    assert terminal.exit_code() == 0
    assert "waiting for " in terminal.seen
    assert terminal.seen.count("· FOR · 1 of 1") == 1
    assert "PREMISE" in terminal.seen
    assert finished(running)[0] == 0


# --- a debate that another process runs -----------------------------------------------------------


def test_a_stop_from_elsewhere_keeps_the_step_in_flight(
    home: Path, moot: Moot, provider: Callable[..., Provider]
) -> None:
    debate_id, running = start_in_background(provider("--latency", "0.5"), moot)
    stopped = moot("stop", debate_id)
    code, out, err = finished(running)

    assert stopped.exit_code == 0
    assert f"stopping; process {running.pid} is finishing the step in flight" in stopped.stdout
    assert code == 3, err
    assert f"stopped; continue with: moot resume {debate_id}" in err
    after = types(log_of(moot, debate_id))
    after = after[after.index("StopRequested") :]
    assert after[-1] == "DebateStopped"
    assert "TurnRecorded" in after
    assert types(out)[-1] == "DebateStopped"
    assert moot("resume", debate_id, "--quiet").exit_code == 0


def test_a_cancel_from_elsewhere_ends_the_run(
    home: Path, moot: Moot, provider: Callable[..., Provider]
) -> None:
    debate_id, running = start_in_background(provider("--latency", "0.5"), moot)
    assert moot("cancel", debate_id).exit_code == 0
    code, out, err = finished(running)

    assert code == 3, err
    assert types(log_of(moot, debate_id))[-1] == "DebateCanceled"
    assert types(out)[-1] == "DebateCanceled"
    assert "moot: canceled" in err


def test_a_cancel_from_elsewhere_aborts_the_call_in_flight(
    home: Path, moot: Moot, provider: Callable[..., Provider]
) -> None:
    running = process(provider("--latency", "50"), "run", *NEW, "--json")
    try:
        read_until(running, "StageEntered")
        assert moot("cancel", the_id(moot)).exit_code == 0
        assert running.wait(timeout=10) == 3
    finally:
        running.kill()
        running.communicate()


def test_an_end_from_elsewhere_goes_to_the_verdict(
    home: Path, moot: Moot, provider: Callable[..., Provider]
) -> None:
    debate_id, running = start_in_background(provider("--latency", "0.3"), moot)
    assert moot("end", debate_id).exit_code == 0
    code, out, err = finished(running)

    assert code == 0, err
    last = json.loads(out.splitlines()[-1])
    assert last["type"] == "DebateCompleted"
    assert last["data"]["stop_reason"] == "ended"


def test_a_debate_that_is_being_run_is_not_deleted(
    home: Path, moot: Moot, provider: Callable[..., Provider]
) -> None:
    debate_id, running = start_in_background(provider("--latency", "0.3"), moot)
    done = moot("delete", debate_id, "--yes")

    assert done.exit_code == 2
    assert "stop it first" in done.stderr
    assert finished(running)[0] == 0
    assert status_of(moot, debate_id) == "completed"


# --- answer ---------------------------------------------------------------------------------------


def answer(
    server: Provider, *arguments: str, typed: str | None = None
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "moot", "answer", *arguments],
        env=environment(server),
        input=typed,
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )


def test_a_person_debates_by_commands_alone(
    home: Path, moot: Moot, provider: Callable[..., Provider]
) -> None:
    server = provider()
    debate_id = debate_that_is("waiting", moot, home)
    (line,) = moot("answer", debate_id, "--json").stdout.splitlines()
    question = json.loads(line)
    assert question["question_id"] == "opening/1/ada/speak"
    assert question["question_id"] in moot("answer", debate_id).stdout
    text = "Streets are\nfor people.\n"
    done = answer(server, debate_id[:8], question["question_id"], typed=text)
    assert done.returncode == 0, done.stderr
    assert f"moot resume {debate_id}" in done.stdout
    assert moot("resume", debate_id, "--quiet").exit_code == 0

    said = [json.loads(line) for line in log_of(moot, debate_id).splitlines()]
    mine = [one["content"] for one in said if one["participant"] == "ada" and "meta" in one]
    assert mine == ["", "", text.strip()]
    assert "has no open questions" in moot("answer", debate_id).stdout


def test_answers_that_cannot_be_taken_change_nothing(moot: Moot, home: Path) -> None:
    debate_id = debate_that_is("waiting", moot, home)
    key = "opening/1/ada/speak"
    before = log_of(moot, debate_id)

    for question, text, code, told in (
        ("nonsense/1", "x", 7, f"open now: {key}"),
        ("", "x", 7, f"open now: {key}"),
        (key, "  \n", 2, "empty"),
    ):
        done = moot("answer", debate_id, question, text)
        assert done.exit_code == code
        assert told in done.stderr
        assert log_of(moot, debate_id) == before

    assert moot("answer", debate_id, "opening/1/ada", "mine").exit_code == 0
    before = log_of(moot, debate_id)
    second = moot("answer", debate_id, key, "another")
    assert second.exit_code == 2
    assert "already been answered" in second.stderr
    assert log_of(moot, debate_id) == before


def test_the_only_question_need_not_be_named(moot: Moot, home: Path) -> None:
    debate_id = debate_that_is("waiting", moot, home)
    before = log_of(moot, debate_id)

    for not_text in ("nonsense/1", "opening/1/ada/speek"):  # rather a mistake than an answer
        done = moot("answer", debate_id, not_text)
        assert done.exit_code == 7
        assert "open now: opening/1/ada/speak" in done.stderr
    assert log_of(moot, debate_id) == before

    done = moot("answer", debate_id, "My plan and/or none")
    assert done.exit_code == 0, done.stderr
    last = json.loads(log_of(moot, debate_id).splitlines()[-1])
    assert (last["participant"], last["content"]) == ("ada", "My plan and/or none")


def test_a_prefix_of_the_only_question_is_not_its_answer(
    home: Path, moot: Moot, provider: Callable[..., Provider]
) -> None:
    debate_id = debate_that_is("waiting", moot, home)

    assert answer(provider(), debate_id, "opening", typed="Mine").returncode == 0
    assert json.loads(log_of(moot, debate_id).splitlines()[-1])["content"] == "Mine"


def test_a_stopped_debate_takes_no_answers(moot: Moot, home: Path) -> None:
    debate_id = debate_that_is("stopped", moot, home)
    before = log_of(moot, debate_id)
    done = moot("answer", debate_id, "opening/1/ada/speak", "mine")

    assert done.exit_code == 2
    assert "stopped" in done.stderr
    assert log_of(moot, debate_id) == before


def test_a_score_needs_a_number_in_range(moot: Moot, home: Path) -> None:
    path = home.parent / "judged.yaml"
    path.write_text(HUMAN_JUDGE)
    assert moot("run", str(path), "--quiet").exit_code == 5
    debate_id = the_id(moot)
    for _ in range(3):
        question = json.loads(moot("answer", debate_id, "--json").stdout.splitlines()[0])
        if question["kind"] == "score":
            break
        moot("answer", debate_id, question["question_id"], "I have weighed it.")
        moot("resume", debate_id, "--quiet")
    key = question["question_id"]
    assert question["kind"] == "score"
    assert "Score (0 to 10)" in moot("answer", debate_id).stdout
    before = log_of(moot, debate_id)

    for text in ("seven", "11", "-1"):
        done = moot("answer", debate_id, key, "--", text)
        assert done.exit_code == 2, text
        assert log_of(moot, debate_id) == before
    assert moot("answer", debate_id, key, "7, because of it").exit_code == 0
    said = json.loads(log_of(moot, debate_id).splitlines()[-1])
    assert said["data"]["score"] == 7


def test_an_answer_from_elsewhere_withdraws_the_question_at_the_prompt(
    home: Path, moot: Moot, tmp_path: Path, provider: Callable[..., Provider]
) -> None:
    path = tmp_path / "human.yaml"
    path.write_text(HUMAN)
    terminal = Terminal(provider(), "run", str(path), "--model", "openai:test")
    terminal.wait_for_prompt()
    debate_id = the_id(moot)
    while status_of(moot, debate_id) != "waiting":
        time.sleep(0.05)
    assert moot("answer", debate_id, "opening/1/ada/speak", "Mine").exit_code == 0
    terminal.wait_for("this was answered elsewhere")

    assert terminal.exit_code() == 0
    assert "Mine" in terminal.seen
