from __future__ import annotations

from pathlib import Path

import pytest

from moot.errors import InvalidInput
from moot.settings import (
    BOUNDS,
    Configuration,
    MootSettings,
    load_settings,
    read_configuration,
    write_configuration,
)

DOCS = Path(__file__).parents[2] / "docs"


@pytest.mark.parametrize(
    ("value", "told"),
    [("{bad", "is not JSON: .*line 1"), ("[1]", "dictionary"), ('{"lab": 1}', "dictionary")],
)
def test_bad_providers_are_said_with_the_name_of_their_variable(
    monkeypatch: pytest.MonkeyPatch, value: str, told: str
) -> None:
    monkeypatch.setenv("MOOT_PROVIDERS", value)
    with pytest.raises(InvalidInput, match=told) as caught:
        load_settings()
    assert (caught.value.field or "").startswith("MOOT_PROVIDERS")


def test_good_providers_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MOOT_PROVIDERS", '{"lab": {"base_url": "http://lab/v1"}}')
    assert load_settings().providers == {"lab": {"base_url": "http://lab/v1"}}
    monkeypatch.setenv("MOOT_PROVIDERS", "")
    assert load_settings().providers == {}


def test_the_configuration_file_is_beside_the_rest_if_a_home_is_named(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv("MOOT_HOME", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "etc"))
    assert load_settings(home=tmp_path).config_path == tmp_path / "config.toml"
    assert load_settings().config_path.parent != load_settings().home
    monkeypatch.setenv("MOOT_HOME", str(tmp_path / "mine"))
    assert load_settings().config_path == tmp_path / "mine" / "config.toml"


def test_what_is_kept_is_read_again(tmp_path: Path) -> None:
    path = tmp_path / "new" / "config.toml"
    assert read_configuration(path) == Configuration()
    kept = Configuration(model='a:"b\\c"', judge="ü:m", keys=("A_KEY", "B_KEY"))
    write_configuration(path, kept)
    assert read_configuration(path) == kept
    assert path.stat().st_mode & 0o077 == 0
    assert [one.name for one in path.parent.iterdir()] == ["config.toml"]
    write_configuration(path, Configuration())
    assert read_configuration(path) == Configuration()


@pytest.mark.parametrize("text", ["model = ", "modell = 'x'", "model = 3"])
def test_a_file_that_cannot_be_read_is_named(tmp_path: Path, text: str) -> None:
    path = tmp_path / "config.toml"
    path.write_text(text)
    with pytest.raises(InvalidInput, match="correct the file") as caught:
        read_configuration(path)
    assert caught.value.field == str(path)


def test_what_cannot_be_kept_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(InvalidInput, match="cannot be written"):
        write_configuration(tmp_path / "file" / "config.toml", Configuration(model="x"))


@pytest.mark.parametrize("name", BOUNDS)
def test_a_number_out_of_bounds_is_said_with_its_variable(
    monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    least, most = BOUNDS[name]
    variable = f"MOOT_{name.upper()}"
    for good in (least, most):
        monkeypatch.setenv(variable, str(good))
        assert getattr(load_settings(), name) == good
    for bad in (least - 1, most + 1, "soon", "", "nan", "inf"):
        monkeypatch.setenv(variable, str(bad))
        with pytest.raises(InvalidInput) as caught:
            load_settings()
        assert caught.value.field == variable


def test_every_setting_is_documented() -> None:
    pages = [page.read_text() for page in DOCS.rglob("*.md")]
    missing = [
        name
        for name in MootSettings.__struct_fields__[1:]
        if not any(f"MOOT_{name.upper()}" in page for page in pages)
    ]
    assert not missing


def test_proxies_are_addresses_and_networks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MOOT_TRUSTED_PROXIES", "127.0.0.1, 10.0.0.0/8,fd00::/8 ,::1")
    found = [str(one) for one in load_settings().trusted_proxies]
    assert found == ["127.0.0.1/32", "10.0.0.0/8", "fd00::/8", "::1/128"]
    monkeypatch.setenv("MOOT_TRUSTED_PROXIES", "")
    assert load_settings().trusted_proxies == ()


@pytest.mark.parametrize("value", ["*", "proxy.example", "10.0.0.1/8", "10.0.0.0/33", "1.2.3"])
def test_what_is_no_proxy_is_said(monkeypatch: pytest.MonkeyPatch, value: str) -> None:
    monkeypatch.setenv("MOOT_TRUSTED_PROXIES", f"127.0.0.1,{value}")
    with pytest.raises(InvalidInput, match="write addresses or networks") as caught:
        load_settings()
    assert caught.value.field == "MOOT_TRUSTED_PROXIES"


@pytest.mark.parametrize(
    ("value", "meant"), [("true", True), ("1", True), ("Yes", True), ("off", False), ("0", False)]
)
def test_true_and_false_are_read_as_people_write_them(
    monkeypatch: pytest.MonkeyPatch, value: str, meant: bool
) -> None:
    monkeypatch.setenv("MOOT_TRACING", value)
    assert load_settings().tracing is meant


@pytest.mark.parametrize(
    ("variable", "value"), [("MOOT_TRACING", "perhaps"), ("MOOT_LOG_LEVEL", "loud")]
)
def test_a_wrong_word_is_said_with_its_variable(
    monkeypatch: pytest.MonkeyPatch, variable: str, value: str
) -> None:
    monkeypatch.setenv(variable, value)
    with pytest.raises(InvalidInput, match="must be") as caught:
        load_settings()
    assert caught.value.field == variable


def test_what_is_set_to_nothing_is_not_set(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("MOOT_HOME", str(tmp_path))
    plain = load_settings()
    for name in ("TOKEN", "SECRET", "CONTEXT_ROOT", "TRACING", "LOG_LEVEL", "ALLOWED_HOSTS"):
        monkeypatch.setenv(f"MOOT_{name}", "")
    assert load_settings() == plain


def test_a_secret_is_shown_to_nobody_who_prints_it() -> None:
    settings = load_settings(token="sk-CANARY", secret="sk-CANARY")
    assert "CANARY" not in f"{settings} {settings!r} {settings.token}"
    assert settings.token is not None
    assert settings.token.reveal() == "sk-CANARY"


def test_another_process_is_given_the_same_settings(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("MOOT_DATABASE_URL", "postgresql://elsewhere/moot")
    monkeypatch.delenv("MOOT_HOME", raising=False)
    for changes in ({}, {"home": tmp_path, "database_url": "", "log_level": "INFO"}):
        ours = load_settings(**changes)
        with monkeypatch.context() as there:
            for variable, value in ours.passed_on().items():
                there.setenv(variable, value)
            assert load_settings() == ours
