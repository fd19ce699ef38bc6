"""Makes a debate from a request: the one way in for command line, HTTP, room and library.

Whoever asks fills in a `DebateRequest`. The file is read, the roster is seated or drawn, models are
put in and files are read here and nowhere else, so that every door refuses the same with the same
words. What comes out is a `NewDebate`, which `Service.create` freezes into the log.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from moot.context import Found, read_context
from moot.definitions import casting, debates, teams
from moot.definitions.debate_file import SIDE
from moot.definitions.debates import Cast, Definition
from moot.definitions.documents import Document
from moot.definitions.personas import pick
from moot.engine.attaching import File
from moot.engine.creation import MAX_TOPIC, NewDebate, seat
from moot.engine.forking import Changes
from moot.errors import InvalidInput, NotFound, Refused
from moot.export import render
from moot.ids import new_seed
from moot.models.port import Models
from moot.protocol.events import Recorded
from moot.protocol.folding import fold
from moot.protocol.names import slug
from moot.protocol.outcomes import Solution
from moot.protocol.registry import format_named
from moot.protocol.settings import OF_JUDGES, SAMPLING, as_data, frozen, read_settings
from moot.protocol.sides import has_two_sides, swapped
from moot.protocol.values import Config, Participant, Sampling
from moot.protocol.words import HUMAN, SAMPLE_MODEL, Role, Stance

USUAL_FORMAT = "duel"
ROOM = "room"
_DISCUSSED = "What a council came to (solution.md), on the question: {topic}"


class ModelChoice(msgspec.Struct, frozen=True, kw_only=True):
    """The models that are wanted. None of them replaces a person, except one in `single`."""

    everyone: str = ""
    """In place of whatever model a participant names."""
    judges: str = ""
    """The same for judges and moderators; it comes before `everyone`."""
    usual: str = ""
    """For participants that name no model."""
    single: Mapping[str, str] = {}
    """By id, by name, title or the beginning of either, or by role: the first who has it."""

    def replaces(self, *, is_judge: bool) -> bool:
        """Whether a model that a file names for a judge, or for anybody else, is not used."""
        return bool(self.everyone or (is_judge and self.judges))


class Wish(msgspec.Struct, frozen=True, kw_only=True):
    """What somebody wants to be otherwise than a file says: a setting of `SAMPLING`, and a value.

    `who` is a role, for all who have it, or one participant by name or title. If it is empty, the
    wish is for the whole debate, in place of whatever the file says of anybody.
    """

    name: str
    value: Any
    who: str = ""


class Me(msgspec.Struct, frozen=True, kw_only=True):
    """A person who takes part, under a name of their own or in place of somebody by name or role.

    It is their own where they say where they sit, or where nobody on a bare topic is called so.
    """

    name: str
    seat: str = ""
    """A role, `pro` or `con`, or the name of whoever has the chair; empty is debater or member."""
    is_own: bool = False
    """Whether the name is their own, whatever it is."""


class DebateRequest(msgspec.Struct, frozen=True, kw_only=True):
    """A debate that somebody wants: on a topic, or as a file says. The rest comes before that."""

    topic: str = ""
    file: str | Path | Document | None = None
    """A path, the name of a shipped debate, or what was read from elsewhere."""
    format: str | None = None
    settings: Mapping[str, Any] = {}
    participants: tuple[Participant, ...] = ()
    team: str = ""
    """A team by its name, in place of participants."""
    with_judge: bool = True
    models: ModelChoice = ModelChoice()
    wishes: tuple[Wish, ...] = ()
    me: tuple[Me, ...] = ()
    """The people who take part themselves."""
    seed: int | None = None
    """For what is drawn; a new one if it is None."""
    files: tuple[File, ...] = ()
    """Texts that were sent."""
    attach: tuple[str, ...] = ()
    context_directory: str = ""
    """Files to be read, below the directory that may be read."""
    allow_secret_files: bool = False
    """Only for who may read those files anyway, and says so: no file and no client of HTTP can."""

    @property
    def is_bare(self) -> bool:
        """Whether nobody is named who takes part."""
        return not (self.file or self.participants or self.team)


class Rematch(msgspec.Struct, frozen=True, kw_only=True):
    """What is to be otherwise in a rematch. Whoever took part takes part again."""

    swap: bool = False
    """Whether everybody argues the other side."""
    models: ModelChoice = ModelChoice()
    seed: int | None = None
    """For who opens, if that was drawn; a new one if it is None."""


class Sources(msgspec.Struct, frozen=True, kw_only=True):
    """Where the parts of a debate are looked up."""

    models: Models
    personas: Path | None = None
    """The user's own personas."""
    root: Path | None = None
    """The directory below which files may be read; None if none may be."""


def stage(request: DebateRequest, sources: Sources) -> NewDebate:
    """The debate, complete. Blocks: reads files. Raises InvalidInput, NotFound or NoModel."""
    definition = _definition(request, sources.personas)
    _check_models(definition, request, sources.models)
    found = _found(request, definition, sources.root)
    cast = _cast(definition, request)
    rules = format_named(definition.format)
    # Seated first: a judge that the format adds takes the models like any other.
    roster = seat(rules, read_settings(rules.settings, definition.settings), cast.participants)
    _check_judging(request, rules.name, roster)
    for me in request.me:
        roster = _with_me(roster, me, is_bare=request.is_bare)
    return NewDebate(
        topic=definition.topic,
        format=rules.name,
        settings=definition.settings,
        participants=_with_wishes(_with_models(roster, request.models), request.wishes),
        seed=cast.seed,
        draws=cast.draws,
        files=(*request.files, *found.files),
        allows_secrets=request.allow_secret_files,
        left_out=found.told(),
    )


def discussion(log: Sequence[Recorded], debate_id: str) -> DebateRequest:
    """A room in which the members of a council discuss its solution with the user.

    Raises Refused if there is none. Who sat there in person is the user here.
    """
    state = fold(log)
    found = state.outcome
    if not isinstance(found, Solution) or not found.description:
        message = "there is no solution to discuss: only a council that has found one goes on so"
        raise Refused(message)
    seats = (one for one in state.config.participants if one.role is Role.MEMBER)
    return DebateRequest(
        topic=_DISCUSSED.format(topic=state.config.topic)[:MAX_TOPIC],
        format=ROOM,
        participants=tuple(_askable(one) for one in seats if not one.is_human),
        files=(File("solution.md", render(log, "decision-record", debate_id=debate_id)),),
    )


def rematch(config: Config, debate_id: str, files: Mapping[str, str], wanted: Rematch) -> NewDebate:
    """The debate of that configuration once more; `files` are the texts it was given, by hash.

    Nothing of what was said goes into it. Raises Refused where there are no sides to swap, and
    InvalidInput for a seed where nothing was drawn.
    """
    rules = format_named(config.format)
    settings = as_data(frozen(rules.settings, config.settings))
    config = msgspec.structs.replace(
        config, participants=tuple(_askable(one) for one in config.participants)
    )
    cast = Cast(participants=config.participants)
    if wanted.swap:
        cast, settings = Cast(participants=_swapped(config)), _other_side(settings)
    if any(draw.name == "order" for draw in config.draws):
        seed = new_seed() if wanted.seed is None else wanted.seed
        cast = casting.reordered(cast.participants, seed)
    elif wanted.seed is not None:
        raise InvalidInput("is for nothing: in that debate nothing was drawn", field="seed")
    _check_judge_model(wanted.models, rules.name, cast.participants)
    return NewDebate(
        topic=config.topic,
        format=rules.name,
        settings=settings,
        participants=_with_models(cast.participants, wanted.models),
        seed=cast.seed,
        draws=cast.draws,
        files=tuple(File(one.name, files[one.sha256]) for one in config.attachments),
        # They were given to that debate already, by somebody who insisted.
        allows_secrets=True,
        rematch_of=debate_id,
    )


def changes(
    log: Sequence[Recorded], at: int | None, models: ModelChoice, settings: Mapping[str, Any]
) -> Changes:
    """How a fork of that log after event `at` is to differ, whoever is meant given by id.

    Raises InvalidInput, naming the field, if nobody of those who take part by then is meant.
    """
    shared = log[:at] if at is not None and at > 0 else log
    state = fold(shared)
    roster = tuple(state.participants.values())
    _check_judge_model(models, state.config.format, roster)
    single: dict[str, str] = {}
    for who, model in models.single.items():
        try:
            single |= _by_id({who: model}, roster)
        except NotFound as error:
            raise InvalidInput(str(error), field=f"changes.models.{who}") from None
    others = msgspec.structs.replace(models, single={})
    pairs = zip(roster, _with_models(roster, others), strict=True)
    replaced = {new.id: new.model for old, new in pairs if new.model != old.model}
    return Changes(settings=settings, models={**replaced, **single})


def _askable(one: Participant) -> Participant:
    """The same, without the model if that is nobody's: what is used here by default takes it."""
    return msgspec.structs.replace(one, model="") if one.model == SAMPLE_MODEL else one


def _swapped(config: Config) -> tuple[Participant, ...]:
    if not has_two_sides(config.participants):
        message = (
            f"there are no sides to swap: in this {config.format} nobody argues for or against"
        )
        raise Refused(message)
    return swapped(config.participants)


def _other_side(settings: dict[str, Any]) -> dict[str, Any]:
    """The settings of `rounds` say the side of A too."""
    if SIDE not in settings:
        return settings
    return {**settings, SIDE: Stance(settings[SIDE]).opposite.value}


# --- what is to be debated -----------------------------------------------------------------------


def _definition(request: DebateRequest, personas: Path | None) -> Definition:
    team = teams.team(request.team) if request.team else None
    if request.file is not None:
        found = debates.load(request.file, personas, format=request.format)
    else:
        usual = teams.usual_format() if team else USUAL_FORMAT
        # Line ends as other systems write them are no reason to refuse a topic.
        topic = request.topic.replace("\r\n", "\n").replace("\r", "\n")
        found = debates.from_topic(
            topic, format=request.format or usual, settings=dict(request.settings)
        )
    if team:
        found = debates.between(found, teams.members(team, found.format, personas))
    elif request.participants:
        found = debates.between(found, request.participants)
    return debates.changed(found, settings={**request.settings, **_for_all(request.wishes)})


def _for_all(wishes: Sequence[Wish]) -> dict[str, Any]:
    """The settings that are wished for the whole debate, judges included."""
    wide = {wish.name: wish.value for wish in wishes if not wish.who}
    return {**dict.fromkeys(f"{name}{OF_JUDGES}" for name in wide), **wide}


def _check_models(definition: Definition, request: DebateRequest, models: Models) -> None:
    def is_replaced(is_judge: bool) -> bool:
        is_out = is_judge and not request.with_judge
        return is_out or request.models.replaces(is_judge=is_judge)

    debates.check_models(definition, models.get, is_replaced=is_replaced)


def _found(request: DebateRequest, definition: Definition, root: Path | None) -> Found:
    """The files that the request names, and those that the debate file names, seen from there."""
    there = Path.cwd() / Path(definition.source or "").parent
    attach = [*request.attach, *(str(there / path) for path in definition.attach)]
    directory = request.context_directory
    if not directory and definition.context_directory:
        directory = str(there / definition.context_directory)
    if not directory and not attach:
        return Found()
    if root is None:
        message = (
            "this server reads no files: it was started without MOOT_CONTEXT_ROOT; "
            "send them as `attachments`"
        )
        raise InvalidInput(message, field="context_directory")
    return read_context(
        root, directory=directory, attach=attach, allows_secrets=request.allow_secret_files
    )


# --- who takes part ------------------------------------------------------------------------------


def _cast(definition: Definition, request: DebateRequest) -> Cast:
    """As they are named, drawn, or the format's own roster if it has one."""
    roster = format_named(definition.format).default_roster
    if not roster or definition.participants or definition.pools:
        seed = new_seed() if request.seed is None else request.seed
        return debates.cast(definition, seed=seed, with_judge=request.with_judge)
    kept = tuple(one for one in roster if request.with_judge or one.role is not Role.JUDGE)
    return Cast(participants=kept)


def _check_judging(request: DebateRequest, form: str, roster: Sequence[Participant]) -> None:
    """Raises InvalidInput for what is asked of a judge and cannot be had."""
    if not request.with_judge and any(one.role is Role.JUDGE for one in roster):
        message = f"is not possible in a {form}, which ends with what its judge makes of it"
        raise InvalidInput(message, field="with_judge")
    _check_judge_model(request.models, form, roster)


def _check_judge_model(models: ModelChoice, form: str, roster: Sequence[Participant]) -> None:
    if models.judges and not any(one.role.is_judging for one in roster):
        message = f"is for nobody: in this {form} there is no judge and no moderator"
        raise InvalidInput(message, field="judge_model")


OWN_SEATS = (Role.DEBATER, Role.MEMBER)
"""Where somebody sits who says nothing but their name: the first of these that there is."""


def _with_me(roster: tuple[Participant, ...], me: Me, *, is_bare: bool) -> tuple[Participant, ...]:
    """The roster with that person in it. Raises NotFound if there is no such chair."""
    name, wanted = me.name.strip(), me.seat.strip()
    is_own = wanted or me.is_own or (is_bare and _is_new(name, roster))
    if not is_own:
        return _replaced(roster, _taken(name, roster, of=_or_own), model=HUMAN)
    old = _taken(wanted, roster, of=_seat)
    others = {one.id for one in roster if one.id != old.id}
    # Their own words: nothing of the persona whose chair it was but the side it stands for.
    blank = dict.fromkeys(("title", "personality", "instructions", "judging_criteria"), "")
    fresh = {"id": slug(name, others), "name": name, "model": HUMAN, "sampling": Sampling()}
    return _replaced(roster, old, **blank, **fresh)


def _is_new(name: str, roster: Sequence[Participant]) -> bool:
    """Whether it is neither a role nor the name of somebody who is there."""
    known = {*Role, *(one.name.casefold() for one in roster), *(one.id for one in roster)}
    return name.casefold() not in known


def _seat(wanted: str, roster: Sequence[Participant]) -> list[Participant]:
    """All who sit where somebody wants to sit. Raises NotFound."""
    if not wanted:
        roles = next((one for one in OWN_SEATS if any(p.role is one for p in roster)), "")
        return [one for one in roster if one.role == roles] or list(roster)
    of_side = [one for one in roster if wanted.casefold() == one.stance != Stance.NONE]
    return of_side or _meant(wanted, roster)


def _taken(
    wanted: str,
    roster: Sequence[Participant],
    of: Callable[[str, Sequence[Participant]], list[Participant]],
) -> Participant:
    """The first of them that nobody has taken yet."""
    found = of(wanted, roster)
    return next((one for one in found if not one.is_human), found[0])


def _replaced(
    roster: tuple[Participant, ...], old: Participant, **changes: Any
) -> tuple[Participant, ...]:
    new = msgspec.structs.replace(old, **changes)
    return tuple(new if one is old else one for one in roster)


def _with_models(roster: Sequence[Participant], choice: ModelChoice) -> tuple[Participant, ...]:
    single = _by_id(choice.single, roster)
    return tuple(
        msgspec.structs.replace(one, model=single.get(one.id) or _model(one, choice))
        for one in roster
    )


def _model(one: Participant, choice: ModelChoice) -> str:
    if one.is_human:
        return one.model
    wanted = (choice.judges if one.role.is_judging else "") or choice.everyone
    return wanted or one.model or choice.usual


def _by_id(models: Mapping[str, str], roster: Sequence[Participant]) -> dict[str, str]:
    ids = {one.id for one in roster}
    return {
        wanted if wanted in ids else _meant(wanted, roster)[0].id: model
        for wanted, model in models.items()
    }


_UNDER_OWN_NAME = "; under a name of your own, say where you sit (--as, over HTTP `as`)"


def _meant(wanted: str, roster: Sequence[Participant], hint: str = "") -> list[Participant]:
    """All who have the role of that name, or the one who is called so. Raises NotFound."""
    in_role = [one for one in roster if one.role == wanted.strip().casefold()]
    by_id = [one for one in roster if one.id == wanted.strip()]
    roles = ", ".join(dict.fromkeys(one.role for one in roster))
    here = ", ".join(one.label for one in roster)
    advice = f"here are: {here}; or one of the roles: {roles}{hint}"
    return in_role or by_id or [pick(wanted, roster, kind="participant", advice=advice)]


def _or_own(wanted: str, roster: Sequence[Participant]) -> list[Participant]:
    return _meant(wanted, roster, _UNDER_OWN_NAME)


def _with_wishes(
    roster: tuple[Participant, ...], wishes: Sequence[Wish]
) -> tuple[Participant, ...]:
    """The roster with these wishes in place of what it was given; one's own beats a role's."""
    roles = set(Role)
    for wish in sorted(wishes, key=lambda wish: (bool(wish.who), wish.who.casefold() not in roles)):
        meant = {one.id for one in (_meant(wish.who, roster) if wish.who else roster)}
        # What is wished for the whole debate is a setting, and holds for who joins later too.
        value = {SAMPLING[wish.name]: wish.value if wish.who else None}
        roster = tuple(
            msgspec.structs.replace(one, sampling=msgspec.structs.replace(one.sampling, **value))
            if one.id in meant
            else one
            for one in roster
        )
    return roster
