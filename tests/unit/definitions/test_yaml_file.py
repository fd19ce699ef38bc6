"""YAML files: what is read, and every refusal with its file and line."""

from __future__ import annotations

import contextlib
import os
import re
import time
from pathlib import Path

import pytest
from hypothesis import given, settings, strategies as st

from moot.definitions.documents import parse, read, resolve
from moot.errors import InvalidInput, NotFound


def refusal(raw: bytes) -> InvalidInput:
    with pytest.raises(InvalidInput) as caught:
        parse(raw, "d.yaml")
    assert caught.value.source == "d.yaml"
    return caught.value


@pytest.mark.parametrize(
    ("text", "value"),
    [
        *((word, word) for word in ("no", "No", "yes", "on", "off", "y", "12:30", "0x10", "1_000")),
        *((word, None) for word in ("", "~", "null")),
        ("true", True),
        ("FALSE", False),
        ("6", 6),
        ("-06", -6),
        ("0.5", 0.5),
        ("1e3", 1000.0),
        ("2026-11-05", "2026-11-05"),
        ("${HOME}", "${HOME}"),
        ("$(id)", "$(id)"),
    ],
)
def test_it_reads_yaml_1_2(text: str, value: object) -> None:
    found = parse(f"a: {text}\n".encode(), None).data["a"]
    assert found == value
    assert type(found) is type(value)


@pytest.mark.parametrize("quoted", ['"6"', "'6'", "|\n  6", ">-\n  6"])
def test_quoted_and_block_text_stays_text(quoted: str) -> None:
    assert parse(f"a: {quoted}\n".encode(), None).data["a"].strip() == "6"


@pytest.mark.parametrize("number", [".inf", "-.INF", ".nan", "1e999", "9" * 16, "9" * 5000])
def test_it_refuses_numbers_that_nothing_can_mean(number: str) -> None:
    error = refusal(f"\na: {number}".encode())
    assert (error.line, error.field) == (2, "a")


def test_it_knows_the_line_of_every_key_and_item() -> None:
    raw = b"# first\ntopic: >\n  a\n  b\nfor:\n  - name: x\n    model: y\n  - name: z\n"
    document = parse(raw, "d.yaml")
    assert document.line(("topic",)) == 2
    assert document.line(("for", 0, "model")) == 7
    assert document.line(("for", 1)) == 8
    assert document.line(("for", 1, "absent")) == 8
    assert document.line(("absent",)) == 2


def test_byte_order_mark_and_windows_line_ends_do_no_harm() -> None:
    plain = parse(b"topic: |\n  one\n  two\nturns: 2\n", None)
    assert parse(b"\xef\xbb\xbftopic: |\r\n  one\r\n  two\r\nturns: 2\r\n", None) == plain


def test_braces_are_only_text() -> None:
    assert parse(b"a: '{topic.__class__}'", None).data == {"a": "{topic.__class__}"}


ALIAS_BOMB = b"a: &a [x, x]\nb: &b [*a, *a]\nc: [*b, *b]\n"


@pytest.mark.parametrize(
    ("raw", "line", "field", "reason"),
    [
        (b"", 1, None, "empty"),
        (b"# only this\n\n", 3, None, "empty"),
        (b"a: 1\n---\nb: 2\n", 2, None, "second document"),
        (b"a: 1\nb: 2\na: 3\n", 3, "a", "twice, first on line 1"),
        (b"x:\n  - a: 1\n    a: 2\n", 3, "x.0.a", "twice, first on line 2"),
        (ALIAS_BOMB, 1, "a", "anchors"),
        (b"a: 1\nb: *a\n", 2, "b", "aliases"),
        (b"a: 1\n<<: *a\n", 2, "<<", "aliases"),
        (b"a: &a\n  - *a\n", 1, "a", "anchors"),
        (b"a: 1\nb: !!python/object/apply:os.system [id]\n", 2, "b", "tags"),
        (b"a: !include other.yaml\n", 1, "a", "tags"),
        (b"a: !!str 6\n", 1, "a", "tags"),
        (b"!x a: 1\n", 1, None, "tags"),
        (b"[a, b]: 1\n", 1, None, "single word"),
        (b"? {a: b}\n: 1\n", 1, None, "single word"),
        (b"'': 1\n", 1, None, "1 to 60"),
        (b'"a\\nb": 1\n', 1, None, "one line"),
        (b"a: 1\nb: [1, 2\n", 3, None, "not YAML"),
        (b"a: 1\n\tb: 2\n", 2, None, "not YAML"),
        (b"a: b: c\n", 1, None, "not YAML"),
        (b'a: "\\q"\n', 1, None, "not YAML"),
        (b"a: 1\nb: \x07\n", 2, None, "not YAML"),
        (b'a: 1\nb: "\\0"\n', 2, "b", r"U\+0000"),
        (b'a: "\\e[31m"\n', 1, "a", r"U\+001B"),
        (b'a: "\\ud800"\n', 1, "a", r"U\+D800"),
        (b"a: 1\nb: \xff\n", 2, None, "UTF-8"),
        ("a: 1\n".encode("utf-16"), 1, None, "UTF-8"),
        (b"a: " + b"[" * 100_000, 1, None, "nested deeper than 20"),
        (b"- " * 50_000, 1, None, "nested deeper than 20"),
        (b"a:\n" + b"- x\n" * 20_000, 9_999, "a.9997", "more than 10000"),
        (b"x" * 1_000_001, None, None, "larger than 1 MB"),
    ],
)
def test_it_refuses(raw: bytes, line: int | None, field: str | None, reason: str) -> None:
    error = refusal(raw)
    assert (error.line, error.field) == (line, field)
    assert re.search(reason, error.message)


def test_twenty_levels_are_enough_for_anybody() -> None:
    assert parse(b"a: " + b"[" * 19 + b"]" * 19, None).data["a"]


def test_hostile_files_are_refused_quickly(tmp_path: Path) -> None:
    big = tmp_path / "big.yaml"
    big.write_bytes(b"a: " + b"[" * 10_000_000)
    began = time.process_time()
    with pytest.raises(InvalidInput, match="larger than 1 MB"):
        read(big)
    refusal(b"[" * 999_999)
    assert time.process_time() - began < 2


def test_a_missing_file_is_not_found(tmp_path: Path) -> None:
    with pytest.raises(NotFound, match="no such file"):
        read(tmp_path / "absent.yaml")


def test_it_refuses_what_is_no_regular_file(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe.yaml"
    os.mkfifo(pipe)
    for path in (tmp_path, pipe, Path("/dev/zero")):
        with pytest.raises(InvalidInput, match=r"is (a directory|not a regular file);") as caught:
            read(path)
        assert caught.value.source == str(path)


def test_it_follows_no_link_unless_told_to(tmp_path: Path) -> None:
    (tmp_path / "real.yaml").write_text("a: 1\n")
    link = tmp_path / "link.yaml"
    link.symlink_to(tmp_path / "real.yaml")
    assert read(link).data == {"a": 1}
    with pytest.raises(InvalidInput, match="cannot be opened"):
        read(link, follow_links=False)


@pytest.mark.parametrize("path", ["x" * 5000, "nul\0.yaml"])
def test_a_path_that_cannot_be_one_is_refused(path: str) -> None:
    with pytest.raises(InvalidInput, match="cannot be opened"):
        read(Path(path))


PIECES = st.sampled_from(
    [*"ab \n\t:-?[]{},#&*!|>'\"%@`\\0~\r", "- ", ": ", "\n  ", "---", '"\\U00110000"']
)


@settings(max_examples=500, deadline=None)
@given(st.lists(PIECES, max_size=40).map("".join) | st.text(max_size=40))
def test_any_text_gives_data_or_a_refusal(text: str) -> None:
    with contextlib.suppress(InvalidInput):
        assert parse(text.encode("utf-8", "replace"), "d.yaml").line(()) is not None


@given(st.text(st.characters(exclude_categories=["Cc", "Cs"])))
def test_text_in_quotes_is_never_anything_else(text: str) -> None:
    assert resolve(text, is_plain=False) == text
