"""`moot models` and `moot keys`, with an empty home, no network and a keyring of the test's own."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from moot.cli.app import cli
from moot.cli.options import Setup
from moot.models import keys
from moot.models.providers import PROVIDERS
from moot.models.registry import Registry
from moot.testing.scripted import ScriptedModel, ScriptedModels

SECRET = "sk-CANARY-99"


class Ring:
    held: dict[str, str]

    def get(self, name: str) -> str:
        return self.held.get(name, "")

    def set(self, name: str, key: str) -> None:
        self.held[name] = key

    def delete(self, name: str) -> None:
        self.held.pop(name, None)


@pytest.fixture(autouse=True)
def stranger(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """Nothing is set, nobody answers, and nothing has been kept."""
    for row in PROVIDERS.values():
        for name in (*row.key_variables, row.url_variable or "MOOT_MODEL", "MOOT_PROVIDERS"):
            monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("MOOT_HOME", str(tmp_path))
    defaults = Registry.__init__.__kwdefaults__
    assert defaults is not None
    monkeypatch.setitem(defaults, "probe", lambda url: f"nothing answers at {url}")
    Ring.held = {}
    monkeypatch.setattr(keys, "SystemRing", Ring)
    return tmp_path


def moot(*arguments: str, models: ScriptedModels | None = None, stdin: str = "") -> Result:
    done = CliRunner().invoke(cli, arguments, obj=Setup(models=models), input=stdin)
    assert SECRET not in done.output
    return done


def test_lists_what_can_be_used_and_what_the_others_need() -> None:
    done = moot("models")
    assert done.exit_code == 0
    assert "debaters  local:smollm2 (no key is set" in done.stdout
    assert "is a toy for trying things out" in done.stdout
    assert "set OPENAI_API_KEY" in done.stdout


@pytest.mark.parametrize(
    ("more", "why"),
    [
        ("", "it is in MOOT_PROVIDERS and needs no key"),
        (', "key_env": "LAB_KEY"', "LAB_KEY is set; it is in MOOT_PROVIDERS"),
    ],
)
def test_says_why_a_provider_of_ones_own_is_the_default(
    monkeypatch: pytest.MonkeyPatch, more: str, why: str
) -> None:
    own = f'{{"lab": {{"base_url": "http://lab.example/v1", "default_model": "good"{more}}}}}'
    monkeypatch.setenv("MOOT_PROVIDERS", own)
    monkeypatch.setenv("LAB_KEY", SECRET)
    assert f"debaters  lab:good ({why})\n" in moot("models").stdout


def test_a_provider_of_ones_own_that_does_not_answer_says_what_to_change(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    own = '{"lab": {"base_url": "http://127.0.0.1:9/v1", "default_model": "good"}}'
    monkeypatch.setenv("MOOT_PROVIDERS", own)
    assert "start that server, or change MOOT_PROVIDERS" in " ".join(moot("models").stdout.split())


def test_lists_them_as_json(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", SECRET)
    found = json.loads(moot("models", "--json").stdout)
    assert found["debaters"] == {"model": "openai:gpt-6-luna", "why": "OPENAI_API_KEY is set"}
    assert found["providers"][0]["context_window"] == 1_050_000
    assert found["providers"][0]["is_usable"] is True


def test_keeps_a_default_and_forgets_it(monkeypatch: pytest.MonkeyPatch, stranger: Path) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", SECRET)
    done = moot("models", "use", "gpt-6-luna", "--judge", "local")
    assert done.exit_code == 0
    assert f"debaters  openai:gpt-6-luna (it is kept in {stranger / 'config.toml'})" in done.stdout
    assert "judges    local:smollm2 (it is kept in" in done.stdout
    # One of them may be changed alone.
    assert (
        "judges    openai:gpt-6.1-terra" in moot("models", "use", "--judge", "gpt-6.1-terra").stdout
    )
    monkeypatch.setenv("MOOT_MODEL", "local")
    assert "debaters  local:smollm2 (MOOT_MODEL names it)" in moot("models").stdout
    monkeypatch.delenv("MOOT_MODEL")
    assert "(OPENAI_API_KEY is set)" in moot("models", "use", "--clear").stdout


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ((), "Name a model, or use --clear."),
        (("--clear", "local"), "Name a model, or use --clear."),
        (("gpt-6-luna",), "set OPENAI_API_KEY"),
        (("--judge", "gtp-6"), "write it as provider:name"),
    ],
)
def test_keeps_nothing_that_cannot_be_used(
    arguments: tuple[str, ...], told: str, stranger: Path
) -> None:
    done = moot("models", "use", *arguments)
    assert done.exit_code == 2
    assert told in done.stderr
    assert not (stranger / "config.toml").exists()


def test_asks_a_model_and_shows_what_came_of_it() -> None:
    models = ScriptedModels(ScriptedModel(["Here.", '{"legs": 8, "why": "x"}']))
    done = moot("models", "test", "scripted:a", models=models)
    assert done.exit_code == 0
    assert "✓ scripted:a answers." in done.stdout
    shown = {line[:19].strip(): line[19:].strip() for line in done.stdout.splitlines()[2:]}
    assert (shown["answer"], shown["keeps to a schema"]) == ("Here.", "yes")
    assert shown["calls tools"] == "not tried, because it is not known to call tools"
    assert shown["server refused"] == "nothing"
    assert shown["cost"] == "unknown"


def test_a_model_that_cannot_be_asked_is_said_not_to_answer() -> None:
    done = moot("models", "test", "openai:gpt-6-luna")
    assert done.exit_code == 4
    assert "does not answer: openai:gpt-6-luna cannot be used: set OPENAI_API_KEY" in done.stdout
    assert json.loads(moot("models", "test", "gpt-6-luna", "--json").stdout)["is_working"] is False


def test_a_key_goes_into_the_keyring_and_is_used(stranger: Path) -> None:
    done = moot("keys", "set", "openai", stdin=f" {SECRET}\n")
    assert done.exit_code == 0, done.output
    assert Ring.held == {"OPENAI_API_KEY": SECRET}
    assert SECRET not in (stranger / "config.toml").read_text()
    assert "OPENAI_API_KEY  the keyring" in moot("keys").stdout
    assert "openai:gpt-6-luna (OPENAI_API_KEY is in the keyring)" in moot("models").stdout
    assert moot("keys", "delete", "openai").exit_code == 0
    assert Ring.held == {}
    assert "no keys" in moot("keys", "list").stdout
    again = moot("keys", "delete", "openai")
    assert (again.exit_code, "is not in the keyring" in again.stderr) == (7, True)


def test_a_variable_comes_before_the_keyring(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-the-environment")
    assert "is used instead" in moot("keys", "set", "openai", stdin=SECRET).stdout
    assert "the environment, which is used, and the keyring" in moot("keys").stdout


def test_nothing_is_kept_without_a_key_or_for_nobody(stranger: Path) -> None:
    assert "no key was given" in moot("keys", "set", "openai", stdin="\n").stderr
    assert "there are keys for openai, deepseek" in moot("keys", "set", "opnai").stderr
    assert "there is no key for 'ollama'" in moot("keys", "set", "ollama").stderr
    assert Ring.held == {}
    assert not (stranger / "config.toml").exists()


def test_says_where_a_base_url_leads_and_that_nothing_answers_there(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", SECRET)
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
    ready, _, others = moot("models").stdout.partition("Not ready yet")
    assert "openai " not in ready.partition("Ready to use")[2]
    assert "nothing answers at http://127.0.0.1:9/v1" in " ".join(others.split())
    assert "debaters  openai:" in ready  # it is used all the same, and waited for
    monkeypatch.setenv("OPENAI_BASE_URL", "https://models.example/v1")
    assert "OPENAI_BASE_URL is set to https://models.example/v1" in moot("models").stdout


def test_tells_what_is_known_of_the_model_that_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", SECRET)
    default = PROVIDERS["openai"].default_model
    assert moot("models", "use", f"openai:{default}").exit_code == 0
    first, second = moot("models").stdout.splitlines()[:2]
    assert first.startswith(f"debaters  openai:{default} (it is kept in")
    assert "tokens" in second


@pytest.mark.parametrize("url", ["127.0.0.1:8000/v1", "localhost", "http://", "http://a:b/v1"])
def test_an_address_that_is_none_is_refused_before_anything_is_created(
    monkeypatch: pytest.MonkeyPatch, url: str
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", SECRET)
    monkeypatch.setenv("OPENAI_BASE_URL", url)
    done = moot("run", "Cats or dogs?", "--model", "openai:test")
    assert done.exit_code == 2
    assert "OPENAI_BASE_URL must be an address that begins with http://" in done.stderr
    assert moot("list", "--json").stdout == ""


def test_a_bare_name_that_nobody_knows_is_not_guessed_to_be_of_ollama() -> None:
    done = moot("run", "Cats or dogs?", "--model", "nonesuch")
    assert "ollama" not in done.stderr
    assert "write it as provider:name (`moot models` lists them all)" in done.stderr
