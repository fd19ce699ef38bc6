"""The wheel: it has everything that Moot reads, nothing else, and works without the repository.

Built and installed offline. On Pythons for which the dependencies are not installed here, all that
is checked is that every module compiles; `make wheels` installs and uses it on all of them.
"""

from __future__ import annotations

import re
import subprocess
import sys
import sysconfig
import zipfile
from importlib import metadata
from pathlib import Path

import pytest
from hatchling.builders.wheel import WheelBuilder
from tests.package.try_wheel import MOST_MB, VERSIONS, Installed, interpreter, use

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "moot"
COMPILE = """
import sys, warnings, zipfile
warnings.simplefilter("error")
count = 0
with zipfile.ZipFile(sys.argv[1]) as wheel:
    for name in wheel.namelist():
        if name.endswith(".py"):
            compile(wheel.read(name), name, "exec")
            count += 1
print(count)
"""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("dist")
    (made,) = WheelBuilder(str(ROOT)).build(directory=str(folder), versions=["standard"])
    return Path(made)


@pytest.fixture(scope="module")
def names(wheel: Path) -> set[str]:
    with zipfile.ZipFile(wheel) as archive:
        return set(archive.namelist())


def test_has_every_file_of_the_package(names: set[str]) -> None:
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "src/moot"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    wanted = {one.removeprefix("src/") for one in listed.stdout.split() if (ROOT / one).exists()}
    assert len(wanted) > 400
    assert {one for one in names if one.startswith("moot/")} == wanted


@pytest.mark.parametrize(
    "pattern",
    [
        r"moot/py\.typed",
        r"moot/prompts/templates/.+\.txt",
        r"moot/data/debates/.+\.yaml",
        r"moot/data/exam/.+\.yaml",
        r"moot/data/panels/.+\.yaml",
        r"moot/data/personas/.+\.yaml",
        r"moot/data/samples/.+\.jsonl",
        r"moot/data/models\.toml",
        r"moot/web/index\.html",
        r"moot/web/vendor/LICENSES\.txt",
        r"moot/store/migrations/sqlite/0001\.sql",
        r"moot/store/migrations/postgres/0001\.sql",
        r"moot-[\d.]+\.dist-info/licenses/LICENSE",
        r"moot-[\d.]+\.dist-info/entry_points\.txt",
    ],
)
def test_has_what_is_read_when_it_runs(names: set[str], pattern: str) -> None:
    assert any(re.fullmatch(pattern, name) for name in names)


def test_has_nothing_else(names: set[str]) -> None:
    tops = {name.partition("/")[0] for name in names}
    assert tops == {"moot", next(one for one in tops if one.endswith(".dist-info"))}
    assert [one for one in names if "__pycache__" in one or re.search(r"(^|/)test_", one)] == []


@pytest.mark.timeout(180)  # a new environment, and seven processes that start in it
def test_works_in_an_environment_without_the_repository(wheel: Path, tmp_path: Path) -> None:
    environment = tmp_path / "venv"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", environment], check=True)
    installed = Installed(environment, tmp_path)
    pip = [sys.executable, "-m", "pip", "--python", str(environment), "install", "-q"]
    offline = ["--no-deps", "--no-index", "--disable-pip-version-check"]
    subprocess.run([*pip, *offline, wheel], check=True)
    # The dependencies are those of this environment. Of its .pth files, one of which leads to the
    # repository, none is read from there.
    here = sysconfig.get_path("purelib")
    (installed.site_packages / "dependencies.pth").write_text(f"{here}\n", encoding="utf-8")
    use(installed, wheel.name.split("-")[1])


def test_the_plain_package_stays_small_with_all_it_needs(names: set[str]) -> None:
    lock = (ROOT / "requirements" / "run.txt").read_text(encoding="utf-8")
    locked = re.findall(r"^([a-z][\w.-]*)==", lock, re.MULTILINE)
    here = [found for name in locked if (found := _distribution(name))]
    assert len(here) > 30
    files = [Path(str(file.locate())) for one in here for file in one.files or ()]
    files += [ROOT / "src" / name for name in names if name.startswith("moot/")]
    size = sum(file.stat().st_blocks * 512 for file in files if file.is_file())
    assert size / 2**20 < MOST_MB


def _distribution(name: str) -> metadata.Distribution | None:
    """None for what is needed on other systems only."""
    try:
        return metadata.distribution(name)
    except metadata.PackageNotFoundError:
        return None


HERE = f"{sys.version_info.major}.{sys.version_info.minor}"


@pytest.mark.parametrize("version", [one for one in VERSIONS if one != HERE])
def test_every_module_compiles_without_a_warning_elsewhere(
    wheel: Path, names: set[str], version: str
) -> None:
    python = interpreter(version)
    if not python:
        pytest.skip(f"there is no Python {version} on this machine")
    told = subprocess.run(
        [python, "-c", COMPILE, wheel], capture_output=True, text=True, check=True
    )
    assert int(told.stdout) == sum(name.endswith(".py") for name in names)
