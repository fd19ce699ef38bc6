"""The exam for judges: the answer of every pair is known, and nothing gives it away."""

from __future__ import annotations

import re
from collections import Counter
from typing import Any

import msgspec
import pytest

from moot.definitions import exam, shipped
from moot.definitions.documents import Document, Loc
from moot.errors import InvalidInput
from moot.protocol.hearing.exam import ExamPair, Kind
from moot.protocol.hearing.plan import Order

SHIPPED = (Kind.INVENTED, Kind.MIRRORED, Kind.NON_SEQUITUR, Kind.PADDED)
FEWEST_WORDS, MOST_WORDS = 120, 220
NAMES = re.compile(r"\b[ABXY]\b")
ALTERNATIVE = re.compile("for (.+)")


def of_kind(*kinds: Kind) -> list[Any]:
    return [pytest.param(one, id=one.id) for one in exam.pairs() if one.kind in kinds]


ALL = of_kind(*Kind)


def other(side: str) -> str:
    return exam.SECOND if side == exam.FIRST else exam.FIRST


def words(pair: ExamPair, side: str) -> int:
    return sum(len(one.text.split()) for one in pair.case.said if one.side == side)


def texts(pair: ExamPair, side: str) -> list[str]:
    return [one.text for one in pair.case.said if one.side == side]


def exchanged(pair: ExamPair, text: str) -> str:
    """The text with each side's alternative in place of the other's, as whole words."""
    mine, theirs = (found[1] for one in pair.case.sides if (found := ALTERNATIVE.match(one.argues)))
    swap = {mine: theirs, theirs: mine}
    swap |= {_capital(one): _capital(instead) for one, instead in swap.items()}
    among = "|".join(re.escape(one) for one in swap)
    return re.sub(rf"\b(?:{among})\b", lambda match: swap[match[0]], text)


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def bare(text: str) -> list[str]:
    return re.findall(r"[\w']+", text.lower())


def test_there_are_ten_of_each_kind() -> None:
    assert Counter(one.kind for one in exam.pairs()) == dict.fromkeys(SHIPPED, 10)


def test_no_two_have_the_same_id_topic_or_words() -> None:
    pairs = exam.pairs()
    said = [one.text for pair in pairs for one in pair.case.said]
    assert len({one.id for one in pairs}) == len({one.case.topic for one in pairs}) == 40
    assert len(set(said)) == len(said) == 160


@pytest.mark.parametrize("pair", ALL)
def test_each_is_short(pair: ExamPair) -> None:
    assert FEWEST_WORDS <= words(pair, exam.FIRST) + words(pair, exam.SECOND) <= MOST_WORDS


@pytest.mark.parametrize("pair", ALL)
def test_nobody_has_a_name_and_none_of_ours_is_in_a_text(pair: ExamPair) -> None:
    assert all(one.names == () for one in pair.case.sides)
    for text in (pair.case.topic, *(one.text for one in pair.case.said)):
        assert not NAMES.search(text)
        assert "\n" not in text


@pytest.mark.parametrize("pair", ALL)
def test_the_orders_differ_in_the_names_and_in_nothing_else(pair: ExamPair) -> None:
    one, two = (pair.case.read_in(order) for order in (Order.ONE, Order.TWO))
    assert one != two
    swap = {"[X]: ": "[Y]: ", "[Y]: ": "[X]: "}
    assert re.sub(r"^\[[XY]\]: ", lambda match: swap[match[0]], one, flags=re.MULTILINE) == two
    assert [len(re.findall(rf"^\[{name}\]: ", one, re.MULTILINE)) for name in "XY"] == [2, 2]
    assert pair.case.sides_in(Order.ONE) != pair.case.sides_in(Order.TWO)


@pytest.mark.parametrize("pair", ALL)
def test_what_people_are_told_is_not_in_what_judges_read(pair: ExamPair) -> None:
    shown = pair.case.topic + pair.case.sides_in(Order.ONE) + pair.case.read_in(Order.ONE)
    assert pair.why.endswith(".")
    assert pair.why not in shown
    assert not re.search(r"\b(mirrored|padded|invented|non sequitur)\b", shown, re.IGNORECASE)


@pytest.mark.parametrize("kind", [Kind.PADDED, Kind.INVENTED, Kind.NON_SEQUITUR])
def test_the_marked_side_opens_as_often_as_it_answers(kind: Kind) -> None:
    marked = Counter(one.marked for one in exam.pairs() if one.kind is kind)
    assert marked == {exam.FIRST: 5, exam.SECOND: 5}


@pytest.mark.parametrize("pair", of_kind(Kind.MIRRORED, Kind.INVENTED, Kind.NON_SEQUITUR))
def test_the_sides_are_of_the_same_length(pair: ExamPair) -> None:
    marked = pair.marked or exam.FIRST
    assert 0.85 <= words(pair, marked) / words(pair, other(marked)) <= 1.18


@pytest.mark.parametrize("pair", of_kind(Kind.PADDED))
def test_a_padded_side_has_twice_the_words(pair: ExamPair) -> None:
    assert pair.marked
    assert 1.8 <= words(pair, pair.marked) / words(pair, other(pair.marked)) <= 2.2


@pytest.mark.parametrize("pair", of_kind(Kind.PADDED))
def test_a_padded_side_has_the_other_ones_words_in_their_order(pair: ExamPair) -> None:
    assert pair.marked
    plain = [exchanged(pair, text) for text in texts(pair, other(pair.marked))]
    for short, long in zip(plain, texts(pair, pair.marked), strict=True):
        left = iter(bare(long))
        assert [word for word in bare(short) if word not in left] == []


@pytest.mark.parametrize("pair", of_kind(Kind.MIRRORED))
def test_the_sides_of_a_mirrored_pair_say_the_same(pair: ExamPair) -> None:
    said, answered = texts(pair, exam.FIRST), texts(pair, exam.SECOND)
    assert said != answered
    assert [exchanged(pair, text) for text in said] == answered
    assert [exchanged(pair, text) for text in answered] == said


def test_mirrored_topics_name_either_side_first_equally_often() -> None:
    mirrored = [one for one in exam.pairs() if one.kind is Kind.MIRRORED]
    named_first = [
        one.case.topic.index(one.case.sides[0].argues.removeprefix("for "))
        < one.case.topic.index(one.case.sides[1].argues.removeprefix("for "))
        for one in mirrored
    ]
    assert sum(named_first) == 5


def test_a_pair_is_kept_whole_in_a_configuration() -> None:
    pairs = exam.pairs()
    again = msgspec.json.decode(msgspec.json.encode(pairs), type=tuple[ExamPair, ...])
    assert again == pairs


def test_the_version_changes_with_what_is_asked_and_with_nothing_else() -> None:
    first, *rest = exam.pairs()
    told = msgspec.structs.replace(first, why="For another reason.")
    assert exam.version() == exam.version_of((told, *rest))
    assert re.fullmatch("[0-9a-f]{12}", exam.version())
    case = msgspec.structs.replace(first.case, topic=first.case.topic + "?")
    turned = exam.SECOND if first.marked == exam.FIRST else exam.FIRST
    for change in ({"case": case}, {"marked": turned}):
        changed = msgspec.structs.replace(first, **change)
        assert exam.version_of((changed, *rest)) != exam.version()
    assert exam.version_of(rest) != exam.version()


# --- broken files ---------------------------------------------------------------------------------


def entry(**changes: Any) -> dict[str, Any]:
    turns = [{"side": side, "text": f"The {side} says so."} for side in exam.TURNS]
    whole = {
        "id": "tea",
        "topic": "Tea or coffee?",
        "sides": [{"id": "first", "argues": "for tea"}, {"id": "second", "argues": "for coffee"}],
        "statements": turns,
        "marked": "first",
        "why": "It is known.",
    }
    return {key: value for key, value in (whole | changes).items() if value is not None}


def document(*entries: dict[str, Any], kind: str = "padded") -> Document:
    data = {"kind": kind, "pairs": list(entries)}
    lines: dict[Loc, int] = {("pairs", index): 10 * index + 3 for index in range(len(entries))}
    return Document(data=data, source="padded.yaml", lines=lines)


def test_a_whole_entry_is_read() -> None:
    (pair,) = exam.read([document(entry())])
    assert (pair.id, pair.kind, pair.marked) == ("tea", Kind.PADDED, "first")
    assert pair.case.sides_in(Order.TWO) == "- X argues for coffee\n- Y argues for tea"


def _reversed(value: dict[str, Any], key: str) -> list[Any]:
    return list(reversed(value[key]))


@pytest.mark.parametrize(
    ("changes", "kind", "told"),
    [
        ({"marked": None}, "padded", "marked must say which side is the padded one"),
        ({"marked": "third"}, "padded", "marked"),
        ({}, "mirrored", "no side of a mirrored pair can be marked"),
        ({"sides": _reversed(entry(), "sides")}, "padded", "sides must be first and second"),
        ({"sides": entry()["sides"][:1]}, "padded", "sides"),
        ({"statements": _reversed(entry(), "statements")}, "padded", "must speak in turn"),
        ({"statements": entry()["statements"][:3]}, "padded", "must speak in turn"),
        ({"topic": " "}, "padded", "topic"),
        ({"topic": None}, "padded", "topic"),
        ({"why": "Two\nlines."}, "padded", "why"),
        ({"premise": "One too many."}, "padded", "premise"),
    ],
)
def test_a_broken_entry_is_named_with_its_line(
    changes: dict[str, Any], kind: str, told: str
) -> None:
    marked = None if kind == "mirrored" else "first"
    whole = entry(id="whole", marked=marked)
    with pytest.raises(InvalidInput, match=rf"^padded.yaml:13: pairs.1: tea: .*{told}"):
        exam.read([document(whole, entry(**changes), kind=kind)])


@pytest.mark.parametrize("missing", [{"id": None}, {"id": "Not a slug"}])
def test_an_entry_without_a_proper_id_is_named_by_its_place(missing: dict[str, Any]) -> None:
    with pytest.raises(InvalidInput, match=r"^padded.yaml:3: pairs.0: .*`(\$\.)?id`"):
        exam.read([document(entry(**missing))])


def test_an_id_is_given_once_in_all_files() -> None:
    again = document(entry(marked=None), kind="mirrored")
    with pytest.raises(InvalidInput, match=r"pairs\.0: tea: there is another pair with this id"):
        exam.read([document(entry()), again])


@pytest.mark.parametrize(
    "broken",
    [[], {"kind": "padded"}, {"kind": "loud", "pairs": [{}]}, {"kind": "padded", "pairs": []}],
)
def test_a_broken_file_is_named(broken: object) -> None:
    with pytest.raises(InvalidInput, match=r"^padded\.yaml: "):
        exam.read([Document(data=broken, source="padded.yaml")])


def test_there_is_a_file_for_each_kind() -> None:
    assert [one.data["kind"] for one in shipped.exam()] == list(SHIPPED)
