"""The files a debate is given: what they may be, and how they are frozen (P6).

Text only, within bounds, and read once. What is kept is the text as it can be stored and shown
everywhere: UTF-8, newlines as line ends, no control characters. Its hash is in the log.
"""

from __future__ import annotations

import hashlib
import unicodedata
from collections.abc import Sequence
from fnmatch import fnmatchcase

import msgspec

from moot.errors import InvalidInput
from moot.models.cleaning import clean_text
from moot.protocol.values import Attachment

MAX_FILES = 200
MAX_FILE_BYTES = 256 * 1024
MAX_TOTAL_BYTES = 2 * 1024 * 1024
MAX_NAME = 200


SECRET_FILES = (
    # What programs read their keys and passwords from.
    *(".env", ".env.*", "*.env", ".envrc", ".netrc", "_netrc", ".npmrc", ".yarnrc*", ".pypirc"),
    *(".pgpass", ".my.cnf", ".git-credentials", ".htpasswd", ".dockercfg", ".boto", ".s3cfg"),
    *(".vault-token", ".terraformrc", "*.tfstate", "*.tfvars", "service-account*.json"),
    *(
        "credentials",
        "*credentials.json",
        "credentials.csv",
        "credentials.toml",
        "credentials.y*ml",
    ),
    *("secret", "secrets", "secrets.json", "secrets.toml", "secrets.y*ml", "client_secret*.json"),
    # Private keys, and what keeps them.
    *("id_rsa*", "id_dsa*", "id_ecdsa*", "id_ed25519*", "*.pem", "*.key", "*.ppk", "*.ovpn"),
    *("*.p12", "*.pfx", "*.jks", "*.keystore", "*.kdbx", "*.keychain*", "*.keyring"),
    # Commands that were typed, passwords among them.
    *("*_history", ".histfile"),
)
"""Files that hold secrets, by their name."""
SECRET_DIRECTORIES = frozenset(
    {".ssh", ".gnupg", ".aws", ".azure", ".kube", ".docker", ".git", ".password-store", "keyrings"}
)
"""Directories in which every file is taken to hold secrets."""
PUBLIC_ENDING = ".pub"
"""Ends the name of a public key, which is no secret."""


class File(msgspec.Struct, frozen=True):
    """A text, and the name that the debate knows it by; `/` separates directories."""

    name: str
    content: str


class Frozen(msgspec.Struct, frozen=True):
    """What goes into the log, and the texts by their hash."""

    attachments: tuple[Attachment, ...] = ()
    texts: dict[str, str] = {}


def freeze(files: Sequence[File], *, allows_secrets: bool = False) -> Frozen:
    """The files as they are kept. Raises InvalidInput for one that cannot be kept."""
    if len(files) > MAX_FILES:
        message = f"are {len(files)}; at most {MAX_FILES} are allowed"
        raise InvalidInput(message, field="attachments")
    attachments: list[Attachment] = []
    texts: dict[str, str] = {}
    for index, file in enumerate(files):
        if not allows_secrets and is_secret(file.name):
            raise InvalidInput(secret_refusal(file.name), field=f"attachments.{index}.name")
        attachment, text = _frozen(file, f"attachments.{index}")
        if any(attachment.name == one.name for one in attachments):
            message = f"{attachment.name!r} is attached twice; give each file its own name"
            raise InvalidInput(message, field=f"attachments.{index}.name")
        attachments.append(attachment)
        texts[attachment.sha256] = text
    total = sum(one.size_bytes for one in attachments)
    if total > MAX_TOTAL_BYTES:
        message = f"are {total:,} bytes in all; at most {MAX_TOTAL_BYTES:,} are allowed"
        raise InvalidInput(message, field="attachments")
    return Frozen(tuple(attachments), texts)


def _frozen(file: File, field: str) -> tuple[Attachment, str]:
    if problem := name_problem(file.name):
        raise InvalidInput(problem, field=f"{field}.name")
    if "\0" in file.content:
        raise InvalidInput("is not text", field=f"{field}.content")
    text = clean_text(file.content)
    data = text.encode()
    if len(data) > MAX_FILE_BYTES:
        message = f"is larger than {MAX_FILE_BYTES:,} bytes"
        raise InvalidInput(message, field=f"{field}.content")
    sha256 = hashlib.sha256(data).hexdigest()
    return Attachment(name=file.name, sha256=sha256, size_bytes=len(data)), text


def name_problem(name: str) -> str:
    """Why a file cannot have that name; "" if it can."""
    if not 1 <= len(name) <= MAX_NAME:
        return f"must have 1 to {MAX_NAME} characters"
    if any(unicodedata.category(char) in _UNSEEN for char in name) or name != name.strip():
        return "must not contain control characters or line breaks, nor begin or end with a space"
    if "\\" in name or any(part in ("", ".", "..") for part in name.split("/")):
        return "must be a relative path, with `/` between its parts and no `..`"
    return ""


def is_secret(path: str) -> bool:
    """Whether a file of that path can be expected to hold keys or passwords."""
    *above, name = path.casefold().split("/")
    if not SECRET_DIRECTORIES.isdisjoint(above):
        return True
    is_named_so = any(fnmatchcase(name, pattern) for pattern in SECRET_FILES)
    return is_named_so and not name.endswith(PUBLIC_ENDING)


def secret_refusal(shown: str) -> str:
    """Why a file that may hold secrets is not attached; `shown` names it."""
    return (
        f"{shown} is not attached: files of that name hold keys or passwords, and every model in "
        "the debate would be sent them. Copy what the debate needs into another file; "
        "only on the command line, --allow-secret-files attaches it all the same"
    )


# Control, format, lone surrogates, unassigned, private use, and the two line ends that are no
# control characters.
_UNSEEN = frozenset({"Cc", "Cf", "Cs", "Cn", "Co", "Zl", "Zp"})
