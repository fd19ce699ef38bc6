from __future__ import annotations

from pathlib import Path

import pytest

from moot.errors import InvalidInput
from moot.settings import Configuration, load_settings, read_configuration, write_configuration


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


@pytest.mark.parametrize("value", ["-1", "3601", "nan", "soon"])
def test_a_number_out_of_bounds_is_said_with_its_variable(
    monkeypatch: pytest.MonkeyPatch, value: str
) -> None:
    monkeypatch.setenv("MOOT_GRACE_SECONDS", value)
    with pytest.raises(InvalidInput) as caught:
        load_settings()
    assert caught.value.field == "MOOT_GRACE_SECONDS"
