"""Debate files: what they mean, and every refusal with file, line and field."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from moot.definitions import debates
from moot.definitions.debate_file import define
from moot.definitions.documents import parse
from moot.definitions.values import Seated
from moot.errors import InvalidInput, NoModel, NotFound
from moot.protocol.registry import format_named
from moot.protocol.settings import read_settings
from moot.protocol.words import Role, Stance

PAIR = "topic: T\ndebaters:\n  - name: Ada\n  - name: Bob\n"
HAVE_SIDES = ["duel", "rounds", "classic"]
POOLS = "topic: T\nfor:\n  - name: Ada\nagainst:\n  - name: Bob\n"


def defined(text: str) -> debates.Definition:
    return define(parse(text.encode(), "d.yaml"))


def sides(definition: debates.Definition) -> tuple[Stance, ...]:
    """As they are once the format has had its say."""
    form = format_named(definition.format)
    settings = read_settings(form.settings, definition.settings)
    return tuple(one.stance for one in form.cast(settings, definition.participants))


def test_a_topic_is_enough() -> None:
    assert defined("topic: ' Is it? '") == debates.Definition(
        format="duel", topic="Is it?", settings={}, source="d.yaml"
    )


def test_premise_and_turns_become_settings() -> None:
    text = "topic: T\npremise: P\nturns: 4\nsettings: {max_tokens: 16, max_cost_usd: null}\n"
    definition = defined(text)
    assert definition.settings == {
        "premise": "P",
        "turns": 4,
        "max_tokens": 16,
        "max_cost_usd": None,
    }


def test_two_debaters_and_a_judge() -> None:
    definition = defined(PAIR + "judge:\n  name: Jo\n  judging_criteria: |\n    Be fair.\n")
    ada, bob, judge = definition.participants
    assert (ada.id, ada.role, ada.stance) == ("ada", Role.DEBATER, Stance.NONE)
    assert (bob.id, bob.role, bob.stance) == ("bob", Role.DEBATER, Stance.NONE)
    assert (judge.id, judge.role, judge.stance) == ("jo", Role.JUDGE, Stance.NONE)
    assert judge.judging_criteria == "Be fair."
    assert definition.pools is None


@pytest.mark.parametrize("name", HAVE_SIDES)
@pytest.mark.parametrize(
    ("first", "second", "stances"),
    [
        ("con", "pro", ("con", "pro")),
        ("con", None, ("con", "pro")),
        (None, "pro", ("con", "pro")),
        (None, None, ("pro", "con")),
    ],
)
def test_given_stances_are_kept_and_the_format_gives_the_others(
    name: str, first: str | None, second: str | None, stances: tuple[str, str]
) -> None:
    lines = [f"    stance: {stance}\n" if stance else "" for stance in (first, second)]
    text = f"topic: T\ndebaters:\n  - name: Ada\n{lines[0]}  - name: Bob\n{lines[1]}"
    definition = defined(text + f"format: {name}\n")
    given = [None if p.stance is Stance.NONE else p.stance for p in definition.participants]
    assert given == [first, second]
    assert sides(definition) == stances


@pytest.mark.parametrize(
    ("stance_a", "stances"), [("con", ("con", "pro")), ("pro", ("pro", "con"))]
)
def test_the_settings_say_which_side_the_first_debater_is_on(
    stance_a: str, stances: tuple[str, str]
) -> None:
    text = PAIR + f"format: rounds\nsettings: {{stance_a: {stance_a}}}\n"
    assert sides(defined(text)) == stances


def test_every_persona_field_arrives() -> None:
    fields: dict[str, Any] = {
        "name": "Ada",
        "title": "Architect",
        "personality": "{topic.__class__}",
        "position": "p",
        "instructions": "i",
        "judging_criteria": "c",
        "model": "openai:gpt-5-mini",
        "color": "#00ff7f",
    }
    text = "".join(f"    {key}: '{value}'\n" for key, value in fields.items())
    definition = defined("topic: T\nfor:\n  -\n" + text + "against:\n  - name: Bob\n")
    assert definition.pools is not None
    assert definition.pools.pro == (Seated(**fields),)


def test_a_full_roster_is_taken_as_it_is() -> None:
    definition = defined(
        "topic: T\nformat: rounds\nparticipants:\n"
        "  - {name: Ada, role: moderator}\n"
        "  - {name: Bob, role: debater, stance: con, model: human, muted: true}\n"
    )
    ada, bob = definition.participants
    assert (ada.role, ada.stance, ada.muted) == (Role.MODERATOR, Stance.NONE, False)
    assert (bob.stance, bob.is_human, bob.muted) == (Stance.CON, True, True)


def test_a_persona_can_be_given_by_its_name(tmp_path: Path) -> None:
    own = tmp_path / "personas"
    own.mkdir()
    (own / "mine.yaml").write_text("name: Zed\npersonality: mine\nmodel: local:x\n")
    (tmp_path / "d.yaml").write_text(
        "topic: T\ndebaters: [miriam ashdown, Zed]\njudge: Bronwyn Pugh\n"
    )
    ada, zed, judge = debates.load(tmp_path / "d.yaml", personas=own).participants
    assert ada.title == "The Surgeon"
    assert (zed.personality, zed.model) == ("mine", "local:x")
    assert judge.judging_criteria


def test_a_named_persona_brings_its_role_to_a_roster() -> None:
    definition = defined("topic: T\nparticipants:\n  - Beatrix Lindholm\n  - Lucien Varga\n")
    assert [p.role for p in definition.participants] == [Role.MODERATOR, Role.DEBATER]


@pytest.mark.parametrize(
    ("text", "line", "field", "reason"),
    [
        ("premise: P\n", 1, "topic", "is required"),
        ("topic: ''\n", 1, "topic", "at least 1"),
        (f"topic: {'x' * 2001}\n", 1, "topic", "more than 2000"),
        ("topic: 6\n", 1, "topic", "must be text; put it in quotes"),
        ("- topic\n", 1, None, "keys and values"),
        ("just text\n", 1, None, "keys and values"),
        ("topic: T\n\ntunrs: 6\n", 3, "tunrs", "unknown key `tunrs`; did you mean `turns`?"),
        ("topic: T\nzzz: 6\n", 2, "zzz", "known are topic, premise, turns"),
        ("topic: T\nagainst_: 6\n", 2, "against_", "did you mean `against`?"),
        ("topic: T\nturns: 0\n", 2, "turns", "must be 1 or more"),
        ("topic: T\nturns: 101\n", 2, "turns", "must be 100 or less"),
        ("topic: T\nturns: six\n", 2, "turns", "whole number"),
        ("topic: T\nturns: '6'\n", 2, "turns", "whole number"),
        ("topic: T\nturns: true\n", 2, "turns", "whole number"),
        ("topic: T\nturns: 6.0\n", 2, "turns", "whole number"),
        ("topic: T\npremise:\n", 2, "premise", "is empty"),
        ("topic: T\nformat: ../x\n", 2, "format", "must be 1 to 40 small letters"),
        ("topic: T\nformat: duell\n", 2, "format", "no format called duell; did you mean duel?"),
        (
            "topic: T\nsettings:\n  max_tokens: 99\n  foo: 1\n",
            4,
            "settings.foo",
            "is not a setting of this format; known: ",
        ),
        (
            "topic: T\nsettings:\n  max_tokens: lots\n",
            3,
            "settings.max_tokens",
            "must be a whole number from 16 to 100000",
        ),
        ("topic: T\nsettings: {turns: 101}\n", 2, "settings.turns", "from 1 to 100"),
        ("topic: T\nsettings: {turns: null}\n", 2, "settings.turns", "from 1 to 100"),
        ("topic: T\nsettings: {premise: 6}\n", 2, "settings.premise", "must be text"),
        ("topic: T\nformat: rounds\nturns: 6\n", 3, "turns", "is not a setting of this format"),
        ("topic: T\npremise: P\nformat: rounds\n", 2, "premise", "is not a setting of this format"),
        (
            "topic: T\nformat: rounds\nsettings: {turns: 6}\n",
            3,
            "settings.turns",
            "is not a setting of this format",
        ),
        ("topic: T\nsettings: [a]\n", 2, "settings", "keys and values"),
        ("topic: T\nturns: 2\nsettings:\n  turns: 3\n", 4, "settings.turns", "keep one"),
        ("topic: T\ndebaters:\n  - name: Ada\n", 2, "debaters", "has 1, needs at least 2"),
        (PAIR + "  - name: Cleo\n", 2, "debaters", "more than 2"),
        ("topic: T\ndebaters: Ada\n", 2, "debaters", "must be a list"),
        (PAIR + "    stance: no\n", 5, "debaters.1.stance", "must be 'pro' or 'con'"),
        (PAIR + "    temperature: 3\n", 5, "debaters.1.temperature", "must be 2 or less"),
        (PAIR + "    temperature: hot\n", 5, "debaters.1.temperature", "must be a number"),
        (PAIR + "    top_p: 0\n", 5, "debaters.1.top_p", "must be more than 0"),
        (PAIR + "    sampling_seed: 1.5\n", 5, "debaters.1.sampling_seed", "a whole number"),
        (
            PAIR + "    reasoning_effort: lots\n",
            5,
            "debaters.1.reasoning_effort",
            "must be 'none', 'minimal', 'low', 'medium' or 'high'",
        ),
        (
            "topic: T\ndebaters:\n  - {name: A, stance: con}\n  - {name: B, stance: con}\n",
            4,
            "debaters.1.stance",
            "both debaters are con",
        ),
        (
            POOLS + "format: rounds\nsettings:\n  stance_a: con\n",
            8,
            "settings.stance_a",
            "the pools say who is for and against",
        ),
        (POOLS + "    stance: pro\n", 6, "against.0.stance", "unknown key"),
        (POOLS + "    personalty: x\n", 6, "against.0.personalty", "did you mean `personality`?"),
        (
            POOLS + "    color: #ff0000\n",
            6,
            "against.0.color",
            "put the value in quotes if it has a #",
        ),
        (POOLS + "    color: '#ff00'\n", 6, "against.0.color", '"#rrggbb"'),
        (POOLS + "    color: url(x)\n", 6, "against.0.color", "one of aqua"),
        (POOLS + "    model: a b\n", 6, "against.0.model", "provider:name"),
        (POOLS + "    title: 'x] [SYSTEM'\n", 6, "against.0.title", "one line without"),
        (POOLS + f"    position: {'x' * 20_001}\n", 6, "against.0.position", "more than 20000"),
        (POOLS + "  - name: <script>\n", 6, "against.1.name", "must not contain < >"),
        (POOLS + "  - name: System\n", 6, "against.1.name", "reserved"),
        (POOLS + "  - name: 42\n", 6, "against.1.name", "must be text"),
        (POOLS + "  - title: x\n", 6, "against.1.name", "is required"),
        (
            POOLS + "  - name: ADA\n",
            6,
            "against.1.name",
            "is the same name as Ada, or looks like it",
        ),
        (
            POOLS + "audience:\n  - name: 'b.o.b'\n",
            7,
            "audience.0.name",
            "the same name as Bob, or looks like it",
        ),
        (POOLS + "audience: []\n", 6, "audience", "has 0, needs at least 1"),
        (POOLS + "audience:\n" + "  - {name: x}\n" * 51, 6, "audience", "more than 50"),
        (POOLS + "debaters:\n- name: X\n- name: Y\n", 2, "for", "together with `debaters`"),
        (POOLS + "judge: {name: X}\n", 2, "for", "together with `judge`"),
        ("topic: T\njudge: {name: X}\n", 2, "judge", "also needs `debaters`"),
        ("topic: T\nfor:\n  - name: X\n", 2, "for", "also needs `against`"),
        ("topic: T\naudience:\n  - name: X\n", 2, "audience", "also needs `for`"),
        (
            PAIR + "participants:\n  - {name: X, role: judge}\n",
            5,
            "participants",
            "together with `debaters`",
        ),
        ("topic: T\nparticipants:\n  - name: X\n", 3, "participants.0.role", "is required"),
        (
            "topic: T\nparticipants:\n  - name: X\n    role: boss\n",
            4,
            "participants.0.role",
            "must be 'moderator', 'debater', 'judge' or 'member'",
        ),
        ("topic: T\njudge: Nobody Real\n", 2, "judge", "no persona called Nobody Real"),
        (
            "topic: T\ndebaters:\n  - Miriam Ashdwn\n  - name: X\n",
            3,
            "debaters.0",
            "did you mean Miriam Ashdown",
        ),
    ],
)
def test_it_refuses(text: str, line: int, field: str | None, reason: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        defined(text)
    error = caught.value
    assert (error.source, error.line, error.field) == ("d.yaml", line, field)
    assert reason in error.message
    assert str(error).startswith(f"d.yaml:{line}: ")


MANY = """\
premise: P
turns: x
settings:
  max_tokens: lots
  foo: 1
for:
  - name: Ada
    color: red-ish
  - persona: Nobody Real
  - title:
against:
  - name: ada
judge: Ghost of Nobody
zzz: 1
"""


def test_all_mistakes_of_a_file_are_told_at_once_in_order() -> None:
    with pytest.raises(InvalidInput) as caught:
        defined(MANY)
    lines = str(caught.value).splitlines()
    assert [line.split(": ")[0:2] for line in lines] == [
        ["d.yaml:1", "topic"],
        ["d.yaml:2", "turns"],
        ["d.yaml:4", "settings.max_tokens"],
        ["d.yaml:5", "settings.foo"],
        ["d.yaml:6", "for"],  # together with `judge`
        ["d.yaml:8", "for.0.color"],
        ["d.yaml:9", "for.1.persona"],
        ["d.yaml:10", "for.2.title"],
        ["d.yaml:10", "for.2.name"],
        ["d.yaml:12", "against.0.name"],
        ["d.yaml:13", "judge"],
        ["d.yaml:14", "zzz"],
    ]
    assert (caught.value.line, caught.value.field) == (1, "topic")
    assert len(caught.value.others) == 11


def test_a_file_full_of_mistakes_does_not_fill_the_screen() -> None:
    with pytest.raises(InvalidInput) as caught:
        defined("topic: T\n" + "".join(f"zz{n}: 1\n" for n in range(60)))
    lines = str(caught.value).splitlines()
    assert len(lines) == 21
    assert lines[-1] == "d.yaml: and 40 more mistakes"


def test_a_persona_can_be_taken_with_changes() -> None:
    definition = defined(
        "topic: T\nparticipants:\n"
        "  - persona: architect\n    model: human\n    role: debater\n    stance: pro\n"
        "  - persona: Sadiq\n    name: Saida\n    title: Guard\n"
    )
    ada, saida = definition.participants
    assert (ada.name, ada.title, ada.role, ada.stance) == (
        "Ada",
        "Architect",
        Role.DEBATER,
        Stance.PRO,
    )
    assert ada.is_human
    assert (saida.id, saida.title, saida.role) == ("saida", "Guard", Role.MEMBER)
    assert ada.instructions
    assert saida.personality


@pytest.mark.parametrize(
    ("entry", "line", "field", "said"),
    [
        ("{persona: qqqq}", 3, "participants.0.persona", "no persona called qqqq"),
        ("{persona: Judge}", 3, "participants.0.persona", "Judge could be Judge Halvorsen"),
        ("{persona: 6}", 3, "participants.0.persona", "the name of a persona"),
        ("{persona: ada, colour: red}", 3, "participants.0.colour", "did you mean `color`?"),
        ("{persona: ada, color: reddish}", 3, "participants.0.color", "must be"),
    ],
)
def test_it_refuses_a_persona_with_changes(entry: str, line: int, field: str, said: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        defined(f"topic: T\nparticipants:\n  - {entry}\n")
    assert (caught.value.line, caught.value.field) == (line, field)
    assert said in caught.value.message
    assert not caught.value.others


PEOPLE = """\
topic: T
format: rounds
participants:
  - {name: Bea, role: moderator}
  - {name: Ada, role: member, model: "x:1"}
  - {name: Bob, role: debater, stance: con, model: human}
  - {name: Jo, role: judge, model: "x:2"}
settings:
  model_debater: x:3
"""


def test_the_models_of_a_file_are_known_with_their_lines() -> None:
    definition = defined(PEOPLE)
    assert [one.role for one in definition.participants] == [
        Role.MODERATOR,
        Role.MEMBER,
        Role.DEBATER,
        Role.JUDGE,
    ]

    def get(name: str) -> None:
        raise NoModel(f"there is no {name}")

    with pytest.raises(InvalidInput) as caught:
        debates.check_models(definition, get)
    assert str(caught.value).splitlines() == [
        "d.yaml:5: participants.1.model: there is no x:1",
        "d.yaml:7: participants.3.model: there is no x:2",
        "d.yaml:9: settings.model_debater: there is no x:3",
    ]
    other = debates.changed(definition, settings={"model_debater": "y:1"})
    with pytest.raises(InvalidInput) as caught:
        debates.check_models(other, get, is_replaced=lambda is_judge: is_judge)
    assert [caught.value.line, caught.value.others] == [5, ()]
    debates.check_models(definition, get, is_replaced=lambda _: True)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (POOLS, "the pools say who is for and against"),
        (
            "topic: T\ndebaters: [{name: A, stance: con}, {name: B}]\n",
            "the debaters say which side they are on",
        ),
    ],
)
def test_a_side_that_would_be_ignored_is_refused(text: str, said: str) -> None:
    with pytest.raises(InvalidInput, match=said):
        defined(text + "format: rounds\nsettings: {stance_a: con}\n")
    found = defined(text + "format: rounds\n")
    with pytest.raises(InvalidInput, match=said) as caught:
        debates.changed(found, settings={"stance_a": "con"})
    assert caught.value.field == "settings.stance_a"
    assert debates.changed(found, settings={"max_rounds": 2}).settings == {"max_rounds": 2}


def test_a_missing_file_says_what_is_shipped(tmp_path: Path) -> None:
    with pytest.raises(NotFound, match=r"no such file; .*topic.*; did you mean remote-work\?$"):
        debates.load("remote-wrok")
    with pytest.raises(NotFound, match=r"`moot debates` lists the debates that come with moot$"):
        debates.load(tmp_path / "qqqq.yaml")


@pytest.mark.parametrize(
    "name", ["../personas", "debates/remote-work", "remote-work/../remote-work"]
)
def test_a_shipped_name_is_never_a_path(name: str) -> None:
    with pytest.raises(NotFound):
        debates.load(name)


def test_a_directory_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="is a directory; give the path of a YAML file"):
        debates.load(tmp_path)


def test_it_tells_files_from_topics(tmp_path: Path) -> None:
    file = tmp_path / "no-suffix"
    file.write_text("topic: T\n")
    named = [str(file), "remote-work", "absent.yaml", "ABSENT.YML", "My debate.yaml"]
    named += ["-", ".", "README.md", "notes.txt", str(tmp_path)]
    topics = ["Should cats vote?", "x" * 5000, "a\0b", "Democracy", "猫は投票すべきか", ""]
    topics += ["Is remote-work good?", "Tabs and/or spaces?", "remote work", "Is it Node.js"]
    topics += ["3.14", "...", "U.S.A.", "Why?"]
    assert [text for text in named if not debates.is_name(text)] == []
    assert [text for text in topics if debates.is_name(text)] == []


@pytest.mark.parametrize(
    ("text", "kind", "said"),
    [
        ("remote-wrok", NotFound, "did you mean remote-work?"),
        ("Mathematics", NotFound, "did you mean mathematics?"),
        ("y/sam2", NotFound, "no such file"),
        ("README.md", NotFound, "no such file; if it is meant as a topic, write more than one"),
        ("-", InvalidInput, "'-' is not a debate: give a file, a name or a topic"),
        ("y", InvalidInput, "is a directory"),
        ("./y", InvalidInput, "is a directory"),
        ("y/", InvalidInput, "is a directory"),
        ("y/\0", InvalidInput, "cannot be opened"),
        ("y/" + "x" * 5000, InvalidInput, "cannot be opened"),
    ],
)
def test_a_mistyped_name_or_path_is_refused_and_no_topic(
    text: str,
    kind: type[Exception],
    said: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    (tmp_path / "y").mkdir()
    monkeypatch.chdir(tmp_path)
    assert debates.is_name(text)
    with pytest.raises(kind, match=said):
        debates.load(text)


def test_a_bare_topic_is_checked_like_a_file() -> None:
    definition = debates.from_topic("T", settings={"turns": 2})
    assert (definition.topic, definition.settings) == ("T", {"turns": 2})
    for topic in ("", " \n", "x" * 2001, "a\0b", "a\x1b[2J", "a\udcff"):
        with pytest.raises(InvalidInput) as caught:
            debates.from_topic(topic)
        assert caught.value.field == "topic"


def test_a_bare_topic_is_checked_with_its_format_and_settings() -> None:
    with pytest.raises(NotFound, match="no format called duell"):
        debates.from_topic("T", format="duell")
    with pytest.raises(InvalidInput) as caught:
        debates.from_topic("T", settings={"turns": "six"})
    assert (caught.value.field, caught.value.line) == ("settings.turns", None)
