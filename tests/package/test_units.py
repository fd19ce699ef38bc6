"""The systemd units: systemd understands them, and Moot what they start it with."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from tests.package.deployed import GRACE_S, KNOWN, UNITS, parsed, settings_of

every_unit = pytest.mark.parametrize("unit", UNITS, ids=lambda unit: unit.name)
needs_systemd = pytest.mark.skipif(
    shutil.which("systemd-analyze") is None,
    reason="there is no systemd-analyze: only commands and variables of the units are checked",
)


def test_there_is_one_for_the_server_and_one_for_workers() -> None:
    assert [unit.name for unit in UNITS] == ["moot-worker@.service", "moot.service"]


def complaints(unit: Path, folder: Path, **changes: str) -> list[str]:
    """What systemd has to say about it. The program need not be installed, another one is."""
    text = unit.read_text(encoding="utf-8")
    for old, new in {"/opt/moot/bin/moot": shutil.which("true") or "", **changes}.items():
        assert old in text
        text = text.replace(old, new)
    copy = folder / unit.name.replace("@", "@1")
    copy.write_text(text, encoding="utf-8")
    done = subprocess.run(
        ["systemd-analyze", "verify", "--man=no", str(copy)],
        capture_output=True,
        text=True,
        check=False,
    )
    # It may also complain about other units of the machine, which are none of our business.
    found = [line for line in done.stderr.splitlines() if "moot" in line]
    assert not done.returncode or found, done.stderr
    return found


@needs_systemd
@every_unit
def test_systemd_understands_it(unit: Path, tmp_path: Path) -> None:
    assert complaints(unit, tmp_path) == []


@needs_systemd
@every_unit
def test_systemd_would_find_a_setting_that_is_none(unit: Path, tmp_path: Path) -> None:
    (found,) = complaints(unit, tmp_path, **{"PrivateTmp=": "PrivateTemp="})
    assert "PrivateTemp" in found


@every_unit
def test_starts_moot_as_it_wants_to_be_started(unit: Path) -> None:
    context = parsed(settings_of(unit)["ExecStart"].split())
    assert context.command.name == ("worker" if "@" in unit.name else "serve")


@every_unit
def test_sets_only_variables_that_moot_reads(unit: Path) -> None:
    name, _, value = settings_of(unit)["Environment"].partition("=")
    assert name in KNOWN
    assert value == f"/var/lib/{settings_of(unit)['StateDirectory']}"


@every_unit
def test_is_kept_running_and_has_time_to_finish_its_calls(unit: Path) -> None:
    settings = settings_of(unit)
    assert (settings["Restart"], settings["StartLimitIntervalSec"]) == ("always", "0")
    assert int(settings["TimeoutStopSec"]) > GRACE_S


@every_unit
def test_may_write_nowhere_but_in_its_own_folder(unit: Path) -> None:
    settings = settings_of(unit)
    assert settings["User"] == "moot"
    assert (settings["ProtectSystem"], settings["ProtectHome"]) == ("strict", "yes")
    assert (settings["NoNewPrivileges"], settings["CapabilityBoundingSet"]) == ("yes", "")
