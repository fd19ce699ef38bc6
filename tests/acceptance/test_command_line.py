"""The command line as its users meet it: every command, the refusals, signals, people, exit codes.

Issue 2, "Command line". Most run in this process against models that answer at once; what needs
signals or a real provider is a process of its own against the scripted server.
"""

from __future__ import annotations

import json
import re
import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from tests.acceptance.terminals import (
    CONTROL,
    HUMAN,
    PATIENCE_S,
    RUN,
    Moot,
    Provider,
    Terminal,
    process,
    read_until,
    the_id,
)

from moot.cli.app import cli
from moot.errors import ModelRefused
from moot.testing.scripted import sensible


def headings(output: str) -> list[str]:
    return re.findall(r"^(\S.*(?:\(private\)|· \d of \d))$", output, re.MULTILINE)


# --- run ------------------------------------------------------------------------------------------


def test_a_shipped_debate_runs_to_its_verdict(moot: Moot) -> None:
    done = moot("run", "remote-work", "--turns", "2", "--seed", "3")

    assert done.exit_code == 0
    assert done.stderr == ""
    assert "Should companies let people work from home?" in done.stdout
    assert re.search(r"^FOR +Tomas Oyelaran +scripted:debater", done.stdout, re.MULTILINE)
    assert re.search(r"^JUDGE +Omar Haddad +scripted:judge", done.stdout, re.MULTILINE)
    assert "◆ Tomas Oyelaran 7 ▸ Kenji Mori 7" in done.stdout
    assert "VERDICT" in done.stdout
    assert re.search(r"PREMISE (UPHELD|REJECTED)", done.stdout)
    assert "14 calls · " in done.stdout
    assert f"moot show {the_id(moot)}" in done.stdout
    assert not CONTROL.search(done.stdout.replace("\n", ""))


def test_turns_come_in_the_order_of_the_seed(moot: Moot) -> None:
    done = moot("run", "remote-work", "--turns", "2", "--seed", "3")

    assert headings(done.stdout) == [
        "Tomas Oyelaran plans (private)",
        "Kenji Mori plans (private)",
        "Tomas Oyelaran thinks (private)",
        "Tomas Oyelaran · FOR · 1 of 2",
        "Omar Haddad weighs it (private)",
        "Kenji Mori thinks (private)",
        "Kenji Mori · AGAINST · 2 of 2",
        "Omar Haddad weighs it (private)",
        "Omar Haddad deliberates (private)",
        "Omar Haddad names the winner (private)",
        "Omar Haddad records the scores (private)",
    ]


def test_what_ran_is_what_is_shown(moot: Moot) -> None:
    ran = moot("run", "remote-work", "--turns", "3").stdout
    shown = moot("show", the_id(moot), "--private").stdout

    assert shown.rpartition("\n\n")[0] == ran.rpartition("\n\n")[0]


def test_a_topic_is_debated_as_it_stands(moot: Moot) -> None:
    topic = "Is [bold]this[/bold] {topic} [link=http://evil.example]fine[/]?"
    done = moot("run", topic, "--turns", "1", "--premise", "[red]Yes[/red].")

    assert done.exit_code == 0
    assert topic in done.stdout
    assert "Premise: [red]Yes[/red]." in done.stdout


def test_settings_models_and_the_judge_are_chosen_by_options(moot: Moot) -> None:
    options = ("--turns", "1", "--set", "max_tokens=77", "--model", "a:b", "--no-judge", "--json")
    done = moot("run", "Tabs or spaces?", *options)
    show = json.loads(moot("show", the_id(moot), "--json").stdout.splitlines()[0])
    config = show["data"]["config"]

    assert done.exit_code == 0
    assert config["settings"]["max_tokens"] == 77
    assert [one["model"] for one in config["participants"]] == ["a:b", "a:b"]


def test_a_judge_may_have_another_model(moot: Moot) -> None:
    moot("run", "remote-work", "--turns", "1", "--model", "a:b", "--judge-model", "c:d", "--quiet")
    show = json.loads(moot("show", the_id(moot), "--json").stdout.splitlines()[0])

    models = [one["model"] for one in show["data"]["config"]["participants"]]
    assert models == ["a:b", "a:b", "c:d"]


def test_without_a_judge_there_is_no_verdict_and_it_is_said(moot: Moot) -> None:
    done = moot("run", "remote-work", "--turns", "1", "--no-judge")

    assert done.exit_code == 0
    assert "No verdict: there was no judge." in done.stdout


def test_private_turns_can_be_hidden(moot: Moot) -> None:
    done = moot("run", "remote-work", "--turns", "2", "--hide-private")

    assert "(private)" not in done.stdout
    assert "◆" in done.stdout
    assert len(headings(done.stdout)) == 2


def test_quiet_prints_the_verdict_and_nothing_else(moot: Moot) -> None:
    done = moot("run", "remote-work", "--turns", "1", "--quiet")

    assert done.exit_code == 0
    assert done.stdout.startswith("VERDICT\n")
    assert "╭" not in done.stdout


def test_json_prints_every_event_on_a_line(moot: Moot) -> None:
    done = moot("run", "remote-work", "--turns", "1", "--json")
    lines = [json.loads(line) for line in done.stdout.splitlines()]

    assert done.stderr == ""
    assert [line["seq"] for line in lines] == list(range(1, len(lines) + 1))
    assert lines[0]["type"] == "DebateCreated"
    assert lines[0]["data"]["debate_id"] == the_id(moot)
    assert lines[-1]["type"] == "DebateCompleted"
    assert lines[-1]["data"]["outcome"]["winner"]
    assert sum(line["type"] == "TurnRecorded" for line in lines) == 10


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("x", "--turns", "0"), "turns"),
        (("x", "--set", "nonsense=1"), "--set nonsense: is not a setting"),
        (("x", "--set", "nonsense"), "KEY=VALUE"),
        (("x", "--seed", "-1"), "seed: must be"),
        (("  ",), "topic"),
        (("a\x1b[31mb",), "control character"),
    ],
)
def test_bad_input_is_refused_and_nothing_is_created(
    moot: Moot, arguments: tuple[str, ...], message: str
) -> None:
    done = moot("run", *arguments)

    assert done.exit_code == 2
    assert done.stdout == ""
    assert done.stderr.startswith("moot: ")
    assert message in done.stderr
    assert "\x1b" not in done.stderr
    assert moot("list", "--json").stdout == ""


def test_a_mistake_in_a_file_is_told_with_its_line_and_field(moot: Moot, tmp_path: Path) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text("topic: T\nturns: 2\ndebaters:\n  - name: 'A[b]'\n  - name: B\n")
    done = moot("run", str(path))

    assert done.exit_code == 2
    assert done.stderr.startswith(f"moot: {path}:4: debaters.0.name: ")


@pytest.mark.parametrize("what", [("run", "nowhere.yaml"), ("run", "x", "--format", "nope")])
def test_what_is_not_there_is_said_to_be_missing(moot: Moot, what: tuple[str, ...]) -> None:
    done = moot(*what)

    assert done.exit_code == 7
    assert done.stderr.startswith("moot: there is no") or "no such" in done.stderr.lower()


def test_a_model_that_cannot_be_had_is_told_before_anything_is_written(home: Path) -> None:
    done = CliRunner().invoke(cli, ["run", "x", "--model", "nobody:nothing"])

    assert done.exit_code == 2
    assert "nobody" in done.stderr


# --- failure and resume ---------------------------------------------------------------------------


def fails_at(number: int) -> Callable[[Any], Any]:
    calls = 0

    def script(request: Any) -> Any:
        nonlocal calls
        calls += 1
        return ModelRefused("[bold]no\x1b[31m luck") if calls == number else sensible(request)

    return script


def test_a_failure_is_told_and_resumed_with_only_what_is_missing(moot: Moot) -> None:
    failed = moot("run", "remote-work", "--turns", "1", script=fails_at(4))
    debate_id = the_id(moot)

    assert failed.exit_code == 4
    assert "failed: [bold]no" in failed.stdout
    assert "\x1b" not in failed.stdout
    assert f"moot resume {debate_id}" in failed.stdout
    assert "VERDICT" not in failed.stdout

    resumed = moot("resume", debate_id[:6], "--json")
    lines = [json.loads(line) for line in resumed.stdout.splitlines()]

    assert resumed.exit_code == 0
    assert lines[0]["type"] == "DebateRetried"
    assert sum(line["type"] == "TurnRecorded" for line in lines) == 10 - 3


def test_a_failure_in_json_keeps_stdout_for_events(moot: Moot) -> None:
    failed = moot("run", "remote-work", "--turns", "1", "--json", script=fails_at(1))

    assert failed.exit_code == 4
    assert all(json.loads(line) for line in failed.stdout.splitlines())
    assert "moot: failed: " in failed.stderr


def test_a_completed_debate_is_not_run_again(moot: Moot) -> None:
    moot("run", "remote-work", "--turns", "1", "--quiet")
    done = moot("resume", the_id(moot))

    assert done.exit_code == 0
    assert "is already completed" in done.stdout
    assert "moot show" in done.stdout


def test_an_unknown_id_is_not_found(moot: Moot) -> None:
    for command in (("resume", "zzz"), ("show", "zzz"), ("export", "zzz", "--as", "md")):
        done = moot(*command)
        assert done.exit_code == 7
        assert "moot list" in done.stderr


# --- looking back ---------------------------------------------------------------------------------


def test_list_filters_and_says_when_there_is_nothing(moot: Moot) -> None:
    assert "no debates yet" in moot("list").stdout
    moot("run", "Cats or dogs?", "--turns", "1", "--quiet")

    assert the_id(moot)[:8] in moot("list").stdout
    assert "Cats or dogs?" in moot("list", "--query", "CATS").stdout
    assert "no debate matches" in moot("list", "--query", "cows").stdout
    assert moot("list", "--status", "failed", "--json").stdout == ""
    (line,) = moot(
        "list", "--format", "duel", "--status", "completed", "--json"
    ).stdout.splitlines()
    assert json.loads(line)["topic"] == "Cats or dogs?"
    assert moot("list", "--status", "nope").exit_code == 2


def test_show_hides_what_is_private_unless_asked(moot: Moot) -> None:
    moot("run", "remote-work", "--turns", "1", "--quiet")
    debate_id = the_id(moot)

    assert "(private)" not in moot("show", debate_id).stdout
    assert "(private)" in moot("show", debate_id, "--private").stdout
    public, everything = (
        [json.loads(line) for line in moot("show", debate_id, "--json", *more).stdout.splitlines()]
        for more in ((), ("--private",))
    )
    assert {line.get("visibility") for line in public} == {None, "public"}
    assert [line["seq"] for line in everything] == list(range(1, len(everything) + 1))


@pytest.mark.parametrize("kind", ["md", "html", "json", "csv"])
def test_export_writes_to_a_file_or_to_stdout(moot: Moot, kind: str, tmp_path: Path) -> None:
    moot("run", "remote-work", "--turns", "1", "--quiet")
    path = tmp_path / f"debate.{kind}"
    written = moot("export", the_id(moot), "--as", kind, "-o", str(path))
    printed = moot("export", the_id(moot), "--as", kind)

    assert written.exit_code == printed.exit_code == 0
    assert written.stdout == ""
    assert path.read_bytes().decode().strip() == printed.stdout_bytes.decode().strip()


def test_export_says_what_is_wrong_with_a_place(moot: Moot, tmp_path: Path) -> None:
    moot("run", "remote-work", "--turns", "1", "--quiet")
    done = moot("export", the_id(moot), "--as", "md", "-o", str(tmp_path / "no" / "where.md"))

    assert done.exit_code == 2
    assert "there is no directory" in done.stderr
    assert moot("export", the_id(moot), "--as", "pdf").exit_code == 2


def test_a_link_is_shown_again_and_taken_back(moot: Moot) -> None:
    moot("create", "remote-work")
    debate = the_id(moot)
    first = moot("link", debate[:6])
    assert re.fullmatch(r"http://127\.0\.0\.1:8420/shared/[\w-]{32}\n", first.stdout)
    assert "only on this computer" in first.stderr
    elsewhere = moot("link", debate, "--at", "https://moot.example.org/")
    token = first.stdout.rpartition("/")[2]
    assert elsewhere.stdout == f"https://moot.example.org/shared/{token}"
    assert "Anyone" in elsewhere.stderr
    assert "revoke it" in moot("link", debate, "--private").stderr
    assert moot("link", debate, "--at", "moot.example.org").exit_code == 2
    assert "is revoked" in moot("link", debate, "--revoke").stderr
    assert "was no link" in moot("link", debate, "--revoke").stderr
    assert moot("link", "zzzz").exit_code == 7
    private = moot("link", debate, "--private")
    assert "also shows private plans and thoughts" in private.stderr
    assert private.stdout.rpartition("/")[2] != token


# --- what there is --------------------------------------------------------------------------------


def test_formats_are_listed_and_shown(moot: Moot) -> None:
    assert "duel" in moot("formats").stdout
    page = moot("formats", "show", "duel").stdout
    assert "exchange" in page
    assert "1 to 100" in page
    assert moot("formats", "show", "duel", "--mermaid").stdout.startswith("stateDiagram-v2")
    data = json.loads(moot("formats", "show", "duel", "--json").stdout)
    assert [stage["name"] for stage in data["stages"]][-2:] == ["verdict", "hearing"]
    assert json.loads(moot("formats", "--json").stdout.splitlines()[0])["name"]
    assert moot("formats", "show", "dule").exit_code == 7


def test_personas_are_listed_and_shown_your_own_too(moot: Moot, home: Path) -> None:
    (home / "personas").mkdir(parents=True)
    (home / "personas" / "me.yaml").write_text('name: Zed\npersonality: "[bold]I am[/] Zed."\n')

    assert "Zed" in moot("personas").stdout
    assert "[bold]I am[/] Zed." in moot("personas", "show", "zed").stdout
    assert json.loads(moot("personas", "show", "zed", "--json").stdout)["persona"]["name"] == "Zed"
    assert moot("personas", "show", "nobody there").exit_code == 7


def test_shipped_debates_are_listed(moot: Moot) -> None:
    assert "remote-work" in moot("debates").stdout
    lines = moot("debates", "--json").stdout.splitlines()
    assert len(lines) >= 8
    assert set(json.loads(lines[0])) == {"name", "format", "topic", "premise", "cast"}


def test_doctor_says_what_would_be_used(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MOOT_MODEL", "openai:some-model")
    monkeypatch.setenv("OPENAI_API_KEY", "sk-CANARY-doctor")
    done = CliRunner().invoke(cli, ["doctor"])
    report = json.loads(CliRunner().invoke(cli, ["doctor", "--json"]).stdout)

    assert done.exit_code == 0
    assert "openai:some-model" in done.stdout
    assert str(home / "moot.db") in done.stdout.replace("\n", "").replace(" ", "")
    assert "CANARY" not in done.stdout
    assert report["is_ready"] is True
    assert report["database"]["journal_mode"] in ("wal", "delete")
    assert report["versions"]["moot"]


def test_doctor_fails_where_no_debate_could_run(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MOOT_MODEL", "openai:some-model")
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    done = CliRunner().invoke(cli, ["doctor"])

    assert done.exit_code == 4
    assert "OPENAI_API_KEY" in done.stdout


def test_doctor_says_why_a_debate_does_not_move(moot: Moot) -> None:
    debate = json.loads(moot("create", "x", "--json").stdout)["id"]
    moot("start", debate)
    said = moot("doctor", debate[:6]).stdout
    assert said.startswith(f"{debate}: running\n")
    assert "there is no server or worker that could" in said
    assert f"moot resume {debate}" in said
    told = json.loads(moot("doctor", debate, "--json").stdout)
    assert (told["id"], told["status"]) == (debate, "running")
    assert set(told["findings"][0]) == {"what", "do"}
    assert moot("doctor", "nosuch").exit_code == 7


def test_home_can_be_given_on_the_command_line(moot: Moot, tmp_path: Path, home: Path) -> None:
    other = tmp_path / "elsewhere"
    assert moot("--home", str(other), "run", "x", "--turns", "1", "--quiet").exit_code == 0
    assert (other / "moot.db").exists()
    assert not (home / "moot.db").exists()


# --- processes: signals, people, a provider -------------------------------------------------------


def test_one_interrupt_finishes_the_step_in_flight(
    home: Path, moot: Moot, provider: Callable[..., Provider]
) -> None:
    running = process(provider("--latency", "0.6"), *RUN, "--json")
    read_until(running, "StageEntered")
    running.send_signal(signal.SIGINT)
    out, err = running.communicate(timeout=PATIENCE_S)

    assert running.returncode == 3, err
    types = [json.loads(line)["type"] for line in out.splitlines()]
    assert types[-1] == "DebateStopped"
    assert "TurnRecorded" in types
    assert "stopping after the step in flight" in err
    assert f"stopped; continue with: moot resume {the_id(moot)}" in err
    assert "Traceback" not in err


def test_an_interrupt_while_a_provider_is_waited_for_speaks_of_no_step_in_flight(
    home: Path, moot: Moot, provider: Callable[..., Provider]
) -> None:
    away = provider("--faults", "status_429_retry_after_absurd")
    # One step at a time: while one waits, another one of a duel might really be in flight.
    one_by_one = ("run", "Cats or dogs?", "--format", "rounds", "--model", "openai:test")
    running = process(away, *one_by_one)
    read_until(running, "waiting since")
    running.send_signal(signal.SIGINT)
    out, err = running.communicate(timeout=PATIENCE_S)

    assert running.returncode == 3, err
    assert "· stopping\n" in out
    assert "step in flight" not in out
    assert f"stopped; continue with: moot resume {the_id(moot)}" in out


@pytest.mark.parametrize("which", [signal.SIGINT, signal.SIGTERM])
def test_two_signals_drop_the_step_in_flight(
    home: Path, moot: Moot, provider: Callable[..., Provider], which: signal.Signals
) -> None:
    running = process(provider("--latency", "50"), *RUN)
    read_until(running, "id ")
    time.sleep(1.0)  # until the call is in flight; the test holds either way
    for _ in range(2):
        running.send_signal(which)
        time.sleep(0.2)
    out, err = running.communicate(timeout=PATIENCE_S / 2)

    assert running.returncode == 3, err
    assert f"stopped; continue with: moot resume {the_id(moot)}" in out
    assert "Traceback" not in err
    assert moot("resume", the_id(moot), "--quiet").exit_code == 0


@pytest.mark.parametrize("between_s", [0.2, 0.3, 0.4])
def test_interrupts_after_the_stop_change_nothing(
    home: Path, moot: Moot, provider: Callable[..., Provider], between_s: float
) -> None:
    running = process(provider("--latency", "0.2"), *RUN)
    read_until(running, "id ")
    running.send_signal(signal.SIGINT)
    time.sleep(between_s)
    running.send_signal(signal.SIGINT)
    read_until(running, "stopped; continue with")
    while running.poll() is None:  # somebody leans on the keyboard
        running.send_signal(signal.SIGINT)
        time.sleep(0.001)
    _, err = running.communicate(timeout=PATIENCE_S)

    assert running.returncode == 3, err
    assert err == ""
    assert moot("resume", the_id(moot), "--quiet").exit_code == 0


@pytest.mark.parametrize("options", [("--json",), ()])
def test_a_run_that_nobody_reads_any_more_stops(
    home: Path, moot: Moot, provider: Callable[..., Provider], options: tuple[str, ...]
) -> None:
    running = process(provider("--latency", "0.3"), *RUN, *options)
    assert running.stdout is not None
    assert running.stderr is not None
    running.stdout.readline()
    running.stdout.close()

    assert running.wait(PATIENCE_S) == 3
    assert running.stderr.read() == ""
    running.stderr.close()
    assert json.loads(moot("list", "--json").stdout)["status"] == "stopped"
    assert moot("resume", the_id(moot), "--quiet").exit_code == 0


@pytest.mark.parametrize("command", [("list",), ("formats",), ("list", "--help")])
def test_a_command_that_nobody_reads_is_quiet_about_it(
    home: Path, moot: Moot, provider: Callable[..., Provider], command: tuple[str, ...]
) -> None:
    moot("create", "remote-work")
    running = process(provider(), *command)
    assert running.stdout is not None
    assert running.stderr is not None
    running.stdout.close()

    assert running.wait(PATIENCE_S) == 141
    assert running.stderr.read() == ""
    running.stderr.close()


def test_a_killed_run_goes_on_at_once(
    home: Path, moot: Moot, provider: Callable[..., Provider]
) -> None:
    server = provider("--latency", "0.3")
    running = process(server, *RUN, "--json")
    read_until(running, "TurnRecorded")
    running.kill()
    running.communicate()
    done = process(server, "resume", the_id(moot)[:5], "--json")
    out, err = done.communicate(timeout=PATIENCE_S)

    assert done.returncode == 0, err
    lines = [json.loads(line) for line in out.splitlines()]
    assert lines[0]["type"] == "DebateRecovered"
    assert lines[-1]["type"] == "DebateCompleted"


def test_a_debate_that_another_process_runs_is_busy(
    home: Path, moot: Moot, provider: Callable[..., Provider]
) -> None:
    running = process(provider("--latency", "50"), *RUN, "--json")
    try:
        read_until(running, "StageEntered")
        done = moot("resume", the_id(moot))
        assert done.exit_code == 6
        assert str(running.pid) in done.stderr
        assert done.stdout == ""
    finally:
        running.send_signal(signal.SIGTERM)
        running.communicate(timeout=PATIENCE_S)


def test_a_provider_that_writes_escape_sequences_cannot_reach_the_terminal(
    home: Path, provider: Callable[..., Provider]
) -> None:
    running = process(provider("--faults=" + "ansi,bidi," * 3 + "-"), *RUN)
    out, err = running.communicate(timeout=PATIENCE_S)

    assert running.returncode == 0, err
    assert not CONTROL.search(out.replace("\n", ""))
    assert "\u202e" not in out


def test_log_lines_are_printed_to_those_who_ask(
    home: Path, provider: Callable[..., Provider]
) -> None:
    server = provider()
    loud = process(server, "-v", *RUN, "--quiet")
    _, err = loud.communicate(timeout=PATIENCE_S)
    quiet = process(server, *RUN, "--quiet")
    _, nothing = quiet.communicate(timeout=PATIENCE_S)

    assert "INFO step performed debate=" in err
    assert nothing == ""


def test_a_person_is_told_what_is_asked_where_nobody_can_be_asked(
    moot: Moot, tmp_path: Path
) -> None:
    path = tmp_path / "human.yaml"
    path.write_text(HUMAN)
    done = moot("run", str(path))

    assert done.exit_code == 5
    assert "Ada: Open the debate (opening/1/ada/speak)" in done.stdout
    assert "speak to the audience and make your case" in " ".join(done.stdout.split())
    assert f"moot resume {the_id(moot)}" in done.stdout


def test_a_person_answers_at_the_prompt(
    home: Path, tmp_path: Path, provider: Callable[..., Provider]
) -> None:
    path = tmp_path / "human.yaml"
    path.write_text(HUMAN)
    terminal = Terminal(provider(), "run", str(path), "--model", "openai:test")
    terminal.wait_for("Ada: Open the debate")
    terminal.wait_for_prompt()
    terminal.type("Yes\nand yes\n\n")

    assert terminal.exit_code() == 0
    assert "Ada · FOR · 1 of 1" in terminal.seen
    assert "No verdict: there was no judge." in terminal.seen


def test_a_person_may_leave_a_question_for_later(
    home: Path, moot: Moot, tmp_path: Path, provider: Callable[..., Provider]
) -> None:
    path = tmp_path / "human.yaml"
    path.write_text(HUMAN)
    terminal = Terminal(provider(), "run", str(path), "--model", "openai:test")
    terminal.wait_for_prompt()
    terminal.type("\x04")

    assert terminal.exit_code() == 5
    assert f"moot resume {the_id(moot)}" in terminal.seen


def test_ctrl_c_at_the_prompt_stops(
    home: Path, moot: Moot, tmp_path: Path, provider: Callable[..., Provider]
) -> None:
    path = tmp_path / "human.yaml"
    path.write_text(HUMAN)
    terminal = Terminal(provider(), "run", str(path), "--model", "openai:test")
    terminal.wait_for_prompt()
    terminal.type("\x03")

    assert terminal.exit_code() == 3
    assert f"stopped; continue with: moot resume {the_id(moot)}" in terminal.seen


def test_a_terminal_shows_text_while_it_is_written(
    home: Path, provider: Callable[..., Provider]
) -> None:
    # Long enough before the first word for somebody to look.
    terminal = Terminal(provider("--latency", "0.3", "--word-delay", "0.02"), *RUN)
    assert terminal.exit_code() == 0

    assert "is planning…" in terminal.seen
    assert "PREMISE" in terminal.seen
    assert terminal.seen.count("Tomas Oyelaran · FOR · 1 of 1") == 1


MODERATED = ("run", "Tabs or spaces?", "--format", "standard", "--model", "openai:test")
GUESTS = """
topic: Should people debate machines?
format: custom
participants:
  - {name: Mo, role: moderator}
  - {name: Bo, role: debater}
  - {name: Me, role: debater, model: human}
"""
SLOW = ("--latency", "0.2", "--word-delay", "0.05")


def test_a_key_ends_a_debate_with_its_summary(
    home: Path, moot: Moot, provider: Callable[..., Provider]
) -> None:
    terminal = Terminal(provider(*SLOW), *MODERATED)
    terminal.wait_for("press e to end the debate early")
    terminal.wait_for("── discussion")
    assert not terminal.echoes()
    terminal.type("remote\n")  # pasted, and no key
    for side in ("spaces", "Tabs"):
        terminal.wait_for(f' · FOR "{side}"')
    terminal.type("e")

    assert terminal.exit_code(keeps=True) == 0
    assert "ending the debate; only its closing stage follows" in terminal.seen
    assert "── conclusion" in terminal.seen.partition("ending the debate")[2]
    shown = json.loads(moot("list", "--json").stdout)
    assert (shown["status"], shown["stop_reason"]) == ("completed", "ended")
    assert terminal.echoes()


@pytest.mark.parametrize(("keys", "code"), [("\x03", 3), ("\x03\x03", 3), ("\x03\x03\x03", 3)])
def test_however_a_run_ends_the_terminal_is_as_it_was(
    home: Path, keys: str, code: int, provider: Callable[..., Provider]
) -> None:
    terminal = Terminal(provider(*SLOW), *MODERATED)
    terminal.wait_for("is speaking…")
    for key in keys:
        terminal.type(key)
    assert terminal.exit_code(keeps=True) == code
    assert terminal.echoes()


def test_a_person_types_into_a_debate_that_a_key_could_end(
    home: Path, tmp_path: Path, provider: Callable[..., Provider]
) -> None:
    path = tmp_path / "human.yaml"
    path.write_text(HUMAN)
    terminal = Terminal(provider(), "run", str(path), "--model", "openai:test")
    terminal.wait_for("Ada: Open the debate")
    terminal.wait_for_prompt()
    terminal.type("e\n\n")
    assert terminal.exit_code(keeps=True) == 0
    assert "ending the debate" not in terminal.seen
    assert terminal.echoes()


def test_where_people_type_the_key_is_pressed_twice(
    home: Path, moot: Moot, tmp_path: Path, provider: Callable[..., Provider]
) -> None:
    path = tmp_path / "guests.yaml"
    path.write_text(GUESTS)
    terminal = Terminal(provider(*SLOW), "run", str(path), "--model", "openai:test")
    terminal.wait_for("· e ends it")
    terminal.type("e")
    terminal.wait_for("press e again to end the debate")
    terminal.type("e")
    assert terminal.exit_code(keeps=True) == 0
    assert json.loads(moot("list", "--json").stdout)["stop_reason"] == "ended"
