"""A panel made from an existing debate: its set-up without what belonged to its question.

What was said, the topic, the premise, what the council was told at the beginning and the files stay
behind. Whoever took part keeps the seat, the words and the model they had.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from moot.definitions.debate_file import SIDE
from moot.definitions.panel_schema import PanelLimits
from moot.protocol.registry import format_named
from moot.protocol.settings import SAMPLING, Settings, as_data, frozen, read_settings
from moot.protocol.values import NO_WISHES, Config, Participant, Persona, Sampling
from moot.protocol.words import SAMPLE_MODEL, Stance

TOPICAL = frozenset({"premise", "answers"})
"""Settings that belong to one question."""
LIMITS = frozenset(PanelLimits.model_fields)


def panel_of_debate(config: Config, *, name: str, about: str) -> dict[str, Any]:
    """The panel that holds such debates, as it stands in a file; `panel_of` checks it."""
    kind = format_named(config.format).settings
    settings = frozen(kind, config.settings)
    told = _unusual(settings)
    if any(one.stance is not Stance.NONE for one in config.participants):
        told.pop(SIDE, None)  # the participants say it themselves
    limits = {key: told.pop(key) for key in sorted(LIMITS & told.keys())}
    asked = [text for text in (config.topic, settings.premise) if text.strip()]
    people = [
        seat_of(_unasked(one, asked), settings.sampling(one.role)) for one in config.participants
    ]
    parts = {"settings": told, "participants": people, "limits": limits}
    return {
        "name": name,
        "about": about,
        "format": config.format,
        **{key: value for key, value in parts.items() if value},
    }


def _unasked(one: Participant, asked: Sequence[str]) -> Participant:
    """The participant without a position on that very question, as those drawn for a duel have."""
    is_on_it = any(text in one.position for text in asked)
    return msgspec.structs.replace(one, position="") if is_on_it else one


def _unusual(settings: Settings) -> dict[str, Any]:
    """The settings that differ from their defaults."""
    usual = as_data(read_settings(type(settings), {}))
    return {
        key: msgspec.to_builtins(value)
        for key, value in as_data(settings).items()
        if value != usual[key] and key not in TOPICAL
    }


def seat_of(one: Participant, usual: Sampling = NO_WISHES) -> dict[str, Any]:
    """A participant as a file has it, without what is so by default."""
    stance = {"stance": one.stance.value} if one.stance is not Stance.NONE else {}
    muted = {"muted": True} if one.muted else {}
    persona = {key: getattr(one, key) for key in Persona.__struct_fields__}
    told = {**persona_of(Persona(**persona)), "role": one.role.value, **stance, **muted}
    return {**told, **wishes_of(one.sampling, usual)}


def persona_of(one: Persona) -> dict[str, Any]:
    """A persona as a file has it."""
    fields = {key: getattr(one, key) for key in Persona.__struct_fields__}
    told = {key: text for key, text in fields.items() if text}
    if one.model == SAMPLE_MODEL:  # not a real model: the default of this machine takes its place
        told.pop("model")
    return told


def wishes_of(sampling: Sampling, usual: Sampling = NO_WISHES) -> dict[str, Any]:
    """The wishes for a model that differ from those for all, by their names in files."""
    found = {name: getattr(sampling, field) for name, field in SAMPLING.items()}
    return {
        name: msgspec.to_builtins(value)
        for name, value in found.items()
        if value is not None and value != getattr(usual, SAMPLING[name])
    }
