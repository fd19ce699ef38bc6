"""Files for a debate: whoever names a path gets text below the root, and nothing else."""

from __future__ import annotations

import os
import socket
from pathlib import Path

import pytest
from tests.unit.api.serving import serving

from moot.context import MAX_ENTRIES, Found, read_context
from moot.engine.attaching import MAX_FILE_BYTES, MAX_FILES, MAX_TOTAL_BYTES, freeze
from moot.errors import InvalidInput

SECRET = "CANARY-FILE-5b1e"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A root with one file in it, and a secret beside it."""
    (tmp_path / "secret.txt").write_text(SECRET)
    inner = tmp_path / "root" / "docs"
    inner.mkdir(parents=True)
    (inner / "plan.md").write_text("Build it.\n")
    return tmp_path / "root"


def contents(found: Found) -> dict[str, str]:
    return {file.name: file.content for file in found.files}


def refused(root: Path, *, directory: str = "", attach: tuple[str, ...] = ()) -> str:
    with pytest.raises(InvalidInput) as refusal:
        read_context(root, directory=directory, attach=attach)
    assert SECRET not in str(refusal.value)
    return str(refusal.value)


# --- paths ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "path",
    [
        "../secret.txt",
        "docs/../../secret.txt",
        "./docs/../../secret.txt",
        "docs/../../other/../secret.txt",
        "/etc/passwd",
        "/",
        "//etc/passwd",
        "docs/\0plan.md",
        "..",
        "../root2/x",
    ],
)
def test_no_path_leads_out_of_the_root(root: Path, path: str) -> None:
    refused(root, attach=(path,))
    refused(root, directory=path)


def test_an_absolute_path_below_the_root_is_as_good_as_a_relative_one(root: Path) -> None:
    for given in ("docs/plan.md", str(root / "docs" / "plan.md")):
        assert contents(read_context(root, attach=[given])) == {"docs/plan.md": "Build it.\n"}
    assert contents(read_context(root, directory=str(root / "docs"))) == {"plan.md": "Build it.\n"}


def test_a_neighbour_whose_name_begins_like_the_root_is_outside(root: Path) -> None:
    (root.parent / "root2").mkdir()
    (root.parent / "root2" / "x.txt").write_text(SECRET)
    refused(root, attach=(str(root.parent / "root2" / "x.txt"),))


# --- links, in every position --------------------------------------------------------------------


def test_no_link_to_a_file_is_followed(root: Path) -> None:
    (root / "docs" / "link.md").symlink_to(root.parent / "secret.txt")
    (root / "docs" / "inside.md").symlink_to("plan.md")
    assert "link" in refused(root, attach=("docs/link.md",))
    assert "link" in refused(root, attach=("docs/inside.md",))
    found = read_context(root, directory="docs")
    assert contents(found) == {"plan.md": "Build it.\n"}
    assert [one.split()[0] for one in found.left_out] == ["inside.md", "link.md"]


def test_no_link_to_a_directory_is_followed(root: Path) -> None:
    (root / "out").symlink_to(root.parent)
    (root / "docs" / "up").symlink_to("..")
    assert "link" in refused(root, attach=("out/secret.txt",))
    assert "link" in refused(root, directory="out")
    assert "link" in refused(root, directory="docs/up/docs")
    found = read_context(root, directory=".")
    assert contents(found) == {"docs/plan.md": "Build it.\n"}
    assert len(found.left_out) == 2


def test_links_that_lead_nowhere_or_in_circles_are_left_out(root: Path) -> None:
    (root / "gone").symlink_to("nowhere")
    (root / "circle").symlink_to("circle")
    found = read_context(root, directory=".")
    assert list(contents(found)) == ["docs/plan.md"]
    assert "circle is a link" in found.told()


def test_a_directory_exchanged_for_a_link_while_it_is_read_leads_nowhere(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between the look at a directory and its opening, somebody puts a link in its place."""
    real = os.stat

    def too_late(path: object, **options: object) -> os.stat_result:
        seen = real(path, **options)  # type: ignore[arg-type]
        if path == "docs" and not (root / "docs").is_symlink():
            (root / "docs").rename(root / "old")
            (root / "docs").symlink_to(root.parent)
        return seen

    monkeypatch.setattr(os, "stat", too_late)
    assert SECRET not in str(refused(root, attach=("docs/secret.txt",)))


# --- what is no file of text ---------------------------------------------------------------------


def test_pipes_sockets_and_devices_are_not_opened(root: Path) -> None:
    os.mkfifo(root / "pipe")
    with socket.socket(socket.AF_UNIX) as listening:
        here = Path.cwd()
        os.chdir(root)  # a socket's path may have a hundred characters only
        listening.bind("socket")
        os.chdir(here)
        found = read_context(root, directory=".")
    assert list(contents(found)) == ["docs/plan.md"]
    assert "pipe is not a regular file" in found.told()
    assert "socket is not a regular file" in found.told()
    assert "regular" in refused(root, attach=("pipe",))
    assert "regular" in refused(Path("/dev"), attach=("zero",))


def test_files_that_are_not_text_are_left_out(root: Path) -> None:
    (root / "image.png").write_bytes(b"\x89PNG\r\n\x1a\n\0\0")
    (root / "latin.txt").write_bytes("café".encode("latin-1"))
    (root / "with-bom.txt").write_bytes(b"\xef\xbb\xbfgood")
    found = read_context(root, directory=".")
    assert contents(found) == {"docs/plan.md": "Build it.\n", "with-bom.txt": "good"}
    assert "image.png is not text" in found.told()
    assert "text" in refused(root, attach=("image.png",))


def test_huge_files_are_not_read(root: Path) -> None:
    with (root / "huge.txt").open("wb") as huge:
        huge.truncate(1 << 40)  # takes no room on the disk
    (root / "large.txt").write_bytes(b"x" * (MAX_FILE_BYTES + 1))
    found = read_context(root, directory=".")
    assert list(contents(found)) == ["docs/plan.md"]
    assert "huge.txt is larger than" in found.told()
    assert "larger" in refused(root, attach=("large.txt",))


def test_hidden_files_are_passed_over_and_counted(root: Path) -> None:
    (root / ".env").write_text(SECRET)
    (root / ".git").mkdir()
    (root / ".git" / "config").write_text(SECRET)
    found = read_context(root, directory=".")
    assert list(contents(found)) == ["docs/plan.md"]
    assert "hidden ones (2)" in found.told()


def test_names_with_control_characters_are_left_out_and_shown_harmlessly(root: Path) -> None:
    names = ("a\nb.txt", "\x1b[31mred.txt", "right\u202eleft.txt", "bad\udcff.txt")
    for name in names:
        path = os.fsencode(root / name)
        with open(path, "wb") as file:  # noqa: PTH123 - pathlib takes no bytes
            file.write(SECRET.encode())
    found = read_context(root, directory=".")
    assert list(contents(found)) == ["docs/plan.md"]
    assert len(found.left_out) == 4
    assert found.told().isprintable()
    found.told().encode()


# --- too much ------------------------------------------------------------------------------------


def test_ten_thousand_files_are_refused(root: Path) -> None:
    many = root / "many"
    many.mkdir()
    for number in range(10_000):
        os.link(root / "docs" / "plan.md", many / f"{number}.txt")
    assert f"{MAX_ENTRIES:,}" in refused(root, directory="many")


def test_more_files_than_a_debate_may_have_are_refused(root: Path) -> None:
    for number in range(MAX_FILES + 1):
        (root / f"{number}.txt").write_text(str(number))
    assert "smaller directory" in refused(root, directory=".")


def test_more_text_than_a_debate_may_have_is_refused(root: Path) -> None:
    for number in range(MAX_TOTAL_BYTES // MAX_FILE_BYTES + 1):
        (root / f"{number}.txt").write_bytes(b"x" * MAX_FILE_BYTES)
    assert "smaller directory" in refused(root, directory=".")


def test_a_deep_tree_ends_somewhere(root: Path) -> None:
    deep = root
    for _ in range(60):
        deep = deep / "d"
        deep.mkdir()
    (deep / "bottom.txt").write_text(SECRET)
    found = read_context(root, directory=".")
    assert list(contents(found)) == ["docs/plan.md"]
    assert "deep" in found.told()


# --- over HTTP -----------------------------------------------------------------------------------

NEW = {"topic": "Is it so?", "format": "rounds"}


async def test_a_server_without_a_root_reads_nothing(root: Path, tmp_path: Path) -> None:
    async with serving(tmp_path / "home") as on:
        for directory in (str(root / "docs"), "docs", ".", "/"):
            answer = await on.client.post(
                "/api/debates", json={**NEW, "context_directory": directory}
            )
            assert answer.status_code == 422
            assert "MOOT_CONTEXT_ROOT" in answer.text
        assert (await on.get("/api/debates"))["items"] == []


async def test_a_server_with_a_root_stays_below_it(root: Path, tmp_path: Path) -> None:
    (root / "out").symlink_to(root.parent)
    async with serving(tmp_path / "home", context_root=root) as on:
        for directory in ("..", "out", "/etc", str(root.parent), "docs/../.."):
            answer = await on.client.post(
                "/api/debates", json={**NEW, "context_directory": directory}
            )
            assert answer.status_code == 422, directory
            assert SECRET not in answer.text
        assert (await on.get("/api/debates"))["items"] == []
        answer = await on.client.post("/api/debates", json={**NEW, "context_directory": "docs"})
        assert [one["name"] for one in answer.json()["attachments"]] == ["plan.md"]


@pytest.mark.parametrize(
    "attachment",
    [
        {"name": "../x", "content": "x"},
        {"name": "/x", "content": "x"},
        {"name": "a\nb", "content": "x"},
        {"name": "a\\b", "content": "x"},
        {"name": "\u202eb", "content": "x"},
        {"name": " b", "content": "x"},
        {"name": "", "content": "x"},
        {"name": "x" * 201, "content": "x"},
        {"name": "x", "content": "x\0"},
        {"name": "x", "content": "x" * (MAX_FILE_BYTES + 1)},
        {"name": "x", "content": "€" * (MAX_FILE_BYTES // 2)},
        {"name": "x", "content": 1},
        {"name": "x"},
    ],
)
async def test_attachments_that_will_not_do_are_refused(
    tmp_path: Path, attachment: dict[str, object]
) -> None:
    async with serving(tmp_path) as on:
        answer = await on.client.post("/api/debates", json={**NEW, "attachments": [attachment]})
        assert answer.status_code == 422
        assert (await on.get("/api/debates"))["items"] == []


# --- files with secrets, by their name -----------------------------------------------------------

SECRETS = [
    *(".env", ".env.local", "prod.env", ".ENV", ".ssh/config", ".ssh/id_ed25519", "id_rsa"),
    *("deploy/id_rsa.old", "server.pem", "server.key", "Server.KEY", ".netrc", ".aws/credentials"),
    *("share/keyrings/login.keyring", ".git/config", ".npmrc", ".pypirc", ".pgpass", "x.kdbx"),
    *("credentials.json", "secrets.yaml", ".bash_history", ".kube/config", ".docker/config.json"),
]
HARMLESS = [
    "env.md",
    "keys.md",
    "environment",
    "id_rsa.pub",
    "monkey",
    "secretary.md",
    ".gitignore",
]


@pytest.mark.parametrize("name", SECRETS)
def test_a_file_with_secrets_is_refused_unless_it_is_insisted_on(root: Path, name: str) -> None:
    (root / name).parent.mkdir(parents=True, exist_ok=True)
    (root / name).write_text(SECRET)
    for given in (name, str(root / name), f"docs/../{name}", f"./{name}"):
        told = refused(root, attach=(given,))
        assert name in told
        assert "--allow-secret-files" in told
    found = read_context(root, attach=[name], allows_secrets=True)
    assert contents(found) == {name: SECRET}
    with pytest.raises(InvalidInput, match="hold keys or passwords"):
        freeze(found.files)
    assert freeze(found.files, allows_secrets=True).texts


@pytest.mark.parametrize("name", HARMLESS)
def test_a_file_that_is_only_called_alike_is_read(root: Path, name: str) -> None:
    (root / name).write_text("x")
    assert contents(read_context(root, attach=[name])) == {name: "x"}


def test_a_directory_gives_no_secrets_and_says_which_it_left_out(root: Path) -> None:
    (root / "docs" / "server.key").write_text(SECRET)
    (root / "docs" / ".env").write_text(SECRET)
    found = read_context(root, directory="docs")
    assert contents(found) == {"plan.md": "Build it.\n"}
    assert "server.key may hold a secret" in found.told()
    assert "server.key" in contents(read_context(root, directory="docs", allows_secrets=True))


def test_the_root_may_be_a_directory_of_secrets_itself(tmp_path: Path) -> None:
    folder = tmp_path / ".ssh"
    folder.mkdir()
    (folder / "config").write_text(SECRET)
    refused(folder, attach=("config",))
    assert contents(read_context(folder, directory=".")) == {}


async def test_no_client_can_attach_a_file_with_secrets(tmp_path: Path) -> None:
    async with serving(tmp_path / "home") as on:
        for name in (".env", "keys/id_rsa", ".aws/credentials"):
            body = {"topic": "T?", "attachments": [{"name": name, "content": SECRET}]}
            for more in ({}, {"allow_secret_files": True}):
                answer = await on.client.post("/api/debates", json={**body, **more})
                assert answer.status_code == 422
                assert SECRET not in answer.text
        assert (await on.get("/api/debates"))["items"] == []
