"""Turns what somebody asked for into the frozen configuration of a debate.

Everything is checked here, before anything is written: the format, every setting, the roster, and
that each model can be had. What comes out is complete and never looked up again (P6).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any

import msgspec

from moot.engine.attaching import File
from moot.engine.looking import before_it_exists
from moot.errors import InvalidInput, Refused, joined
from moot.models.cleaning import clean_text
from moot.models.port import Models
from moot.protocol import events as e
from moot.protocol.hearing.case import Hears
from moot.protocol.hearing.exam import Examination
from moot.protocol.machine import Format
from moot.protocol.names import RESERVED, check_name, find_clash, fold_name, slug
from moot.protocol.registry import USUAL, format_named
from moot.protocol.roster import with_sides
from moot.protocol.settings import SAMPLING, Settings, as_data, read_settings
from moot.protocol.state import DebateState
from moot.protocol.values import Attachment, Config, Draw, Origin, Participant
from moot.protocol.words import HUMAN, Role

MAX_TOPIC = 2000
MAX_TITLE = 200
MAX_TEXT = 20_000
MAX_MODEL = 200
MAX_PARTICIPANTS = 50
ASSUMED_WINDOW = 32_000
"""The window assumed of a model about which nothing is known: most have at least that today."""
TEXTS = {
    **dict.fromkeys(
        (
            *("title", "personality", "position", "instructions", "room_instructions"),
            *("judging_criteria", "color"),
        ),
        MAX_TEXT,
    ),
    "model": MAX_MODEL,
}
"""How long each text of a participant may be."""


class NewDebate(msgspec.Struct, frozen=True, kw_only=True):
    """A debate somebody wants to have. `seed` and `draws` tell how chance chose the roster."""

    topic: str
    format: str = USUAL
    settings: Mapping[str, Any] = {}
    participants: tuple[Participant, ...] = ()
    seed: int | None = None
    draws: tuple[Draw, ...] = ()
    files: tuple[File, ...] = ()
    """What everybody may read: text, kept with the debate."""
    allows_secrets: bool = False
    """Whether files that hold secrets by their name are taken: the person insists on it."""
    left_out: str = ""
    """What a person must know of files that were not taken."""
    rematch_of: str = ""
    """The id of the debate whose rematch it is."""
    follows: str = ""
    """The id of the debate whose answer it goes on from."""
    origin: Origin | None = None
    """By which door it came, if not by an ordinary one."""
    hears: Hears | None = None
    """What it is about, if it is a hearing of another debate."""
    exam: Examination | None = None
    """What a judge is examined with, if it is an exam."""


def configure(
    new: NewDebate,
    models: Models,
    *,
    version: str,
    attachments: tuple[Attachment, ...] = (),
    defaults: Mapping[str, Any] = MappingProxyType({}),
) -> Config:
    """The configuration; what was left out comes from `defaults`, then from the format's defaults.

    Raises InvalidInput, NotFound or NoModel.
    """
    form = format_named(new.format)
    settings = read_settings(form.settings, clean_settings({**defaults, **new.settings}))
    topic = _topic(new.topic)
    roster = with_sides(topic, seat(form, settings, new.participants), premise=settings.premise)
    seated = tuple(_completed(_clean(one), settings, models) for one in roster)
    if form.is_open_ended:
        seated = tuple(_with_window(one, models) for one in seated)
    config = Config(
        format=form.name,
        topic=topic,
        settings=as_data(settings),
        participants=seated,
        seed=new.seed,
        draws=new.draws,
        attachments=attachments,
        moot_version=version,
        rematch_of=new.rematch_of,
        follows=new.follows,
        origin=new.origin,
        hears=new.hears,
        exam=new.exam,
    )
    with before_it_exists(form):
        form.check(config)
    return config


def seat(
    form: Format, settings: Settings, participants: tuple[Participant, ...]
) -> tuple[Participant, ...]:
    """The whole roster, with whomever the format adds. Seating it twice changes nothing.

    Raises InvalidInput if the format cannot be played by these participants.
    """
    _check_roster(participants)
    with before_it_exists(form):
        return form.cast(settings, participants)


def clean_settings(settings: Mapping[str, Any]) -> dict[str, Any]:
    """The settings, their texts made as safe as what models write: prompts and pages show them."""
    return {name: _clean_value(value) for name, value in settings.items()}


def _clean_value(value: Any) -> Any:
    if isinstance(value, str):
        return clean_text(value)
    if isinstance(value, list | tuple):
        return [_clean_value(one) for one in value]
    return value


def _clean(participant: Participant) -> Participant:
    """The participant with clean texts. A name is refused instead; see `check_name`."""
    texts = {name: clean_text(getattr(participant, name)) for name in TEXTS}
    return msgspec.structs.replace(participant, **texts)


def _topic(topic: str) -> str:
    topic = clean_text(topic).strip()
    if not topic:
        raise InvalidInput("is required", field="topic")
    if len(topic) > MAX_TOPIC:
        message = f"has {len(topic)} characters; at most {MAX_TOPIC} are allowed"
        raise InvalidInput(message, field="topic")
    return topic


def _check_roster(participants: tuple[Participant, ...]) -> None:
    if len(participants) > MAX_PARTICIPANTS:
        message = f"at most {MAX_PARTICIPANTS} are allowed"
        raise InvalidInput(message, field="participants")
    if wrong := list(roster_mistakes(participants)):
        raise joined(wrong)
    if reserved := next((one.id for one in participants if one.id in RESERVED), None):
        message = f"{reserved!r} is a reserved word; choose another id"
        raise InvalidInput(message, field="participants")
    if len({one.id for one in participants}) < len(participants):
        raise InvalidInput("two participants have the same id", field="participants")


def check_one(participant: Participant, *, field: str) -> None:
    """Raises InvalidInput for a name, a text or a wish that nobody can have."""
    if wrong := list(_mistakes(participant, field=field)):
        raise joined(wrong)


def roster_mistakes(participants: tuple[Participant, ...]) -> Iterator[InvalidInput]:
    """All that is wrong with those who are to take part, each by its field."""
    for index, one in enumerate(participants):
        yield from _mistakes(one, field=f"participants.{index}")
    clash = find_clash([one.name for one in participants])
    if clash:
        first, second = (participants[index].name for index in clash)
        message = f"{second!r} looks too much like {first!r}: nobody could tell them apart"
        yield InvalidInput(message, field=f"participants.{clash[1]}.name")


def _mistakes(participant: Participant, *, field: str) -> Iterator[InvalidInput]:
    try:
        check_name(participant.name)
    except InvalidInput as error:
        yield InvalidInput(error.message, field=f"{field}.name")
    for text, most in TEXTS.items():
        if len(getattr(participant, text)) > most:
            message = f"is longer than {most} characters"
            yield InvalidInput(message, field=f"{field}.{text}")
    for name, wish in SAMPLING.items():
        value = getattr(participant.sampling, wish)
        if value is None:  # no wish
            continue
        try:
            read_settings(Settings, {name: value})
        except InvalidInput as error:
            yield InvalidInput(error.message, field=f"{field}.{name}")


def _completed(participant: Participant, settings: Settings, models: Models) -> Participant:
    """The participant with its model, and with the debate's wishes where it has none of its own."""
    sampling = participant.sampling.over(settings.sampling(participant.role))
    return msgspec.structs.replace(_with_model(participant, settings, models), sampling=sampling)


def _with_model(participant: Participant, settings: Settings, models: Models) -> Participant:
    """DESIGN section 7: the participant's own model, else the debate's, the environment's, or any
    that is there."""
    is_judge = participant.role.is_judging
    of_debate = settings.model_judge if is_judge else settings.model_debater
    model = participant.model or of_debate or models.default(is_judge=is_judge)
    if model != HUMAN:
        models.get(model)  # so that a model that can't be had is said now, not at its first turn
    return msgspec.structs.replace(participant, model=model)


def _with_window(participant: Participant, models: Models) -> Participant:
    """Protocol cannot ask a model how much it can read, so what is known is written down."""
    if participant.is_human:
        return participant
    window = models.facts(participant.model).context_window
    return msgspec.structs.replace(
        participant, window=window or ASSUMED_WINDOW, is_window_assumed=window is None
    )


def changing(changes: Mapping[str, Any], state: DebateState) -> tuple[e.SettingsChanged, ...]:
    """The event that gives settings other values from now on; none if they have them already.

    Raises InvalidInput, or Refused for a setting that holds for the whole of a debate.
    """
    form = format_named(state.config.format)
    now = as_data(state.settings)
    wanted = as_data(read_settings(form.settings, {**now, **clean_settings(changes)}))
    fixed = sorted(set(changes) - form.changeable)
    if fixed:
        can = ", ".join(sorted(form.changeable))
        others = f"you can change {can}" if can else f"no setting of a {form.name} can be"
        message = f"{fixed[0]} cannot be changed in a debate that exists; {others}"
        raise Refused(message)
    different = {name: wanted[name] for name in changes if wanted[name] != now[name]}
    return (e.SettingsChanged(settings=different),) if different else ()


def joining(new: Participant, state: DebateState, models: Models) -> Participant:
    """Somebody who joins, or comes back, complete. Raises InvalidInput or NoModel."""
    present = tuple(state.participants.values())
    check_one(new, field="participant")
    if len(present) >= MAX_PARTICIPANTS:
        message = f"at most {MAX_PARTICIPANTS} are allowed"
        raise InvalidInput(message, field="participants")
    if find_clash([*(one.name for one in present), new.name]):
        message = f"there is a {new.name!r} already, or somebody whose name looks like it"
        raise InvalidInput(message, field="name")
    settings = read_settings(format_named(state.config.format).settings, state.config.settings)
    known = {fold_name(one.name): one.id for one in state.left.values()}
    taken = {*state.participants, *state.left}
    one = known.get(fold_name(new.name)) or slug(new.name, taken)
    seated = msgspec.structs.replace(_clean(new), id=one, role=Role.MEMBER)
    return _with_window(_completed(seated, settings, models), models)
