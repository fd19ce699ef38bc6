"""Performs one step: builds its prompt, calls the model, reads the answer, asks again if need be.

Nothing here writes to the store. What happened is handed to `report` as events; a failed attempt
that was paid for is in the log before the next one is bought.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterator, Mapping
from typing import Any, Protocol

import msgspec

from moot import prompts
from moot.engine import failpoints
from moot.engine.files import NO_FILES, TOOLS, Files, Lookups
from moot.engine.live import LiveDebate
from moot.engine.work import HELD_TOLD_S, Holding, Phase, Work
from moot.errors import (
    MOST_SAID,
    KeyRefused,
    ModelError,
    ModelUnavailable,
    QuotaUsedUp,
    RateLimited,
    mistake,
)
from moot.models.cleaning import clean_text
from moot.models.messages import TokenEstimator
from moot.models.port import (
    AttemptNotice,
    ChatReply,
    ChatRequest,
    Models,
    TellsHold,
    TellsLearned,
)
from moot.protocol.answers import BABBLE, ECHO, OnUnreadable, Unreadable
from moot.protocol.deciding import INTERNAL, UNREADABLE
from moot.protocol.echoes import is_babble, is_echo, repeats
from moot.protocol.events import AttemptFailed, StepFailed, ToolUsed, TurnRecorded
from moot.protocol.speech import tidy
from moot.protocol.state import DebateState
from moot.protocol.steps import Prompt, Step, recorded
from moot.protocol.values import Message, Sampling
from moot.protocol.visibility import history
from moot.protocol.words import ECHOED, USER, Finish, Role, StepKind
from moot.telemetry.port import OFF, Tracing

log = logging.getLogger(__name__)

MAX_READINGS = 3
"""Attempts at an answer that can be read: the first and two more with the error fed back."""
MOST_FOR_THOUGHTS = 4
"""A window divided by this is the most that is kept free for thoughts: the rest is for reading."""
MOST_ECHOES = 2
"""Attempts of a model that sends back the example of its prompt: it would do so a third time."""
WHOLE = 0.9
"""The share of the time for an answer after which a failed try counts as having waited in vain."""
AGAIN = "ask_again"
FLAGS = {Finish.LENGTH: "truncated", Finish.FILTER: "filtered"}
IGNORED = "sampling_ignored"
USUAL: Mapping[Role, Sampling] = {
    Role.JUDGE: Sampling(temperature=0.0),  # the same case is judged alike
    Role.BENCH: Sampling(temperature=1.0),  # a mere repetition tells nothing new
}
"""The sampling that judges are asked with where nobody wishes otherwise."""
DECIDES = (StepKind.SCORE, StepKind.VERDICT, StepKind.SYNTHESIZE)
"""The kinds of steps that decide something: nobody may do so without a reason that can be read."""
OF_PROVIDER = (ModelUnavailable, RateLimited, KeyRefused, QuotaUsedUp)
"""Errors that anybody would get from that provider: not the fault of the one whose turn it was."""
MAX_REASONING = 20_000
"""Characters of a turn's reasoning that are kept."""


class Report(Protocol):
    """Returns when all the events are in the log, in one append."""

    async def __call__(self, *events: AttemptFailed | ToolUsed) -> None: ...


class Performer:
    def __init__(
        self, *, models: Models, estimator: TokenEstimator, tracing: Tracing = OFF
    ) -> None:
        self._models = models
        self._learned = models.learned if isinstance(models, TellsLearned) else None
        self._holds = models if isinstance(models, TellsHold) else None
        self.tracing = tracing
        self._estimator = estimator

    def prepare(
        self, live: LiveDebate, state: DebateState, step: Step, files: Files = NO_FILES
    ) -> Work:
        """Take from the state what the step needs. The state may move on afterwards.

        `live` is the debate whose viewers are shown what happens; `state` is the runner's own.
        """
        prompt = prompts.render(step.prompt)
        system = prompts.render(step.system)
        messages = [Message(role="system", content=system)] if system else []
        messages += history(state, step)
        messages.append(Message(role="user", content=prompt))
        prompted = len(messages)
        failed = list(state.attempts_failed.get(step.key, ()))
        deadline_s = float(state.settings.call_timeout_seconds)
        patience_s = float(state.settings.provider_patience_seconds)
        speaker = state.participants.get(step.participant)
        wished = speaker.sampling if speaker else Sampling()
        usual = USUAL.get(speaker.role) if speaker else None
        for attempt in failed:
            if attempt.code == UNREADABLE:
                messages += _asked_again(attempt.reply, attempt.error)
        return Work(
            live=live,
            step=step,
            model=_model(state, step),
            wished=wished,
            sampling=wished.over(usual) if usual else wished,
            prompt=prompt,
            messages=messages,
            max_tokens=step.max_tokens,
            deadline_s=deadline_s,
            patience_s=patience_s,
            failed=failed,
            flags=[],
            files=files,
            used=list(state.tools_used.get(step.key, ())),
            prompted=prompted,
            stage_seq=state.stage_seq,
            name=state.label_of(step.participant),
            roster=dict(state.participants),
            thoughts=[],
        )

    async def perform(self, work: Work, report: Report) -> TurnRecorded | StepFailed:
        """The turn, or why there is none."""
        about = work.live.id, work.stage_seq, work.step, work.name
        with (
            work.live.writing.of(work.step),
            self.tracing.step(*about) as work.trace,
        ):
            event = await self._perform(work, report)
            work.trace.ended(event)
            return event

    async def _perform(self, work: Work, report: Report) -> TurnRecorded | StepFailed:
        unread = [attempt for attempt in work.failed if attempt.code == UNREADABLE]
        readings = len(unread)
        if unread and readings >= _most_readings(unread[-1].error):
            # The worker that gave up on it died before it could say so.
            return _failed(work, UNREADABLE, unread[-1].error)
        try:
            self._equip(work, is_corrected=bool(unread))
            while True:
                reply = await self._answer(work, report)
                readings += 1
                reply, flags = _tidied(work, reply)
                try:
                    taken = _taken(work, reply, flags, readings)
                except (Exception, asyncio.CancelledError) as error:
                    # Nothing was awaited: whatever it is comes from its reader, which is the
                    # format's own. The reply is paid for, and kept.
                    log.exception("answer broke", extra={"step": work.step.key})
                    reason = f"the format could not read the reply: {mistake(error)}"
                    await self._refuse(work, reply, INTERNAL, reason, report)
                    return _failed(work, INTERNAL, reason)
                if isinstance(taken, TurnRecorded):
                    return taken
                # As safe as a reply: what could not be recorded would take the reply with it.
                reason = clean_text(str(taken.reason), max_chars=MOST_SAID)
                await self._refuse(work, reply, UNREADABLE, reason, report)
                if readings >= _most_readings(reason):
                    return _failed(work, UNREADABLE, reason)
        except ModelError as error:
            failed = _failed(work, error.code, _told(work, error), error.retry_after_s)
            of_provider = isinstance(error, OF_PROVIDER)
            return msgspec.structs.replace(failed, waited_s=error.waited_s, of_provider=of_provider)

    def _equip(self, work: Work, *, is_corrected: bool) -> None:
        """Put the files of the debate before the model: quoted, and by tools if it has any."""
        if not work.files:
            return
        facts = self._models.facts(work.model)
        block = work.files.block(facts.context_window)
        if work.messages[0].role == "system":
            block = f"{work.messages[0].content}\n\n{block}"
            work.messages[0] = Message(role="system", content=block)
        else:
            work.messages.insert(0, Message(role="system", content=block))
            work.prompted += 1
        if work.step.tools and facts.has_tools:
            work.lookups = Lookups(
                step_key=work.step.key,
                toolbox=work.files.toolbox(facts.context_window, work.step.tools),
                limit=work.step.tools,
                used=work.used,
            )
            work.messages[work.prompted : work.prompted] = work.lookups.replayed
            if is_corrected:
                work.lookups.close()

    async def _answer(self, work: Work, report: Report) -> ChatReply:
        """The first reply that wants nothing looked up."""
        while True:
            reply = await self._call(work, report)
            if work.lookups is None or not reply.tool_calls or not work.lookups.answers:
                return reply
            work.live.writing.void(work.step)
            used, messages = await asyncio.to_thread(work.lookups.look_up, reply, work.model)
            work.phase = Phase.TOLD
            await report(*used)
            work.thoughts.append(reply.thought)
            for use, message in zip(used, messages[1:], strict=True):
                work.trace.used(use, message.content)
            # A new list: the request that was sent still holds the old one.
            work.messages = [*work.messages, *messages]

    async def _call(self, work: Work, report: Report) -> ChatReply:
        async def on_failure(notice: AttemptNotice) -> None:
            work.phase = Phase.WAITING
            work.live.writing.void(work.step)
            trace.failed(notice)
            error = None if work.step.is_patient else _given_up(work, notice)
            if error is not None:  # it is not tried again, whatever the caller would do
                last = msgspec.structs.replace(notice, retry_in_s=None)
                await _report(work, report, _attempt(work, last))
                raise error
            await _report(work, report, _attempt(work, notice))
            holding.look_after((notice.retry_in_s or 0.0) + HELD_TOLD_S)

        def on_begin() -> None:
            work.phase = Phase.CALLING
            holding.end()

        work.phase = Phase.WAITING
        self._turn_away(work)
        caller = self._models.get(work.model)
        request = self._fit(work)
        on_text = work.live.text_sink(work.step)
        failpoints.reach("before_send")
        with Holding(work, self._holds) as holding, work.trace.call(work.model, request) as trace:
            reply = await caller.call(request, on_text, on_failure, on_begin)
            work.phase = Phase.HOLDING
            trace.replied(reply)
        if reply.is_retracted and on_text is not None:
            # What was shown of it was a thought: viewers get what was said in its place.
            work.live.writing.void(work.step)
            on_text(reply.content)
        failpoints.reach("reply_before_transaction")
        self._estimator.learn(work.model, request.messages, reply.usage)
        return reply

    def _turn_away(self, work: Work) -> None:
        """Raise RateLimited for a step that will not wait if its provider has everybody wait."""
        if work.step.is_patient or self._holds is None:
            return
        held_s = self._holds.held_for_s(work.model)
        if held_s > 0:
            raise RateLimited("the provider has asked for a pause", retry_after_s=held_s)

    def _fit(self, work: Work) -> ChatRequest:
        """The request, with the oldest exchanges left out if the model's window can't hold them."""
        facts = self._models.facts(work.model)
        limits = [limit for limit in (work.max_tokens, facts.reply_cap) if limit]
        max_tokens = min(limits) if limits else None
        lookups = work.lookups
        # What was looked up stays together with the prompt; only what came before can go.
        cut = work.prompted if lookups is not None and lookups.is_used else len(work.messages)
        head, tail = work.messages[:cut], work.messages[cut:]
        least = reserve = (max_tokens or 0) + self._estimator.tokens(work.model, tail)
        if facts.context_window is not None and self._learned is not None:
            room = self._learned(work.model).allowance
            reserve += min(room, facts.context_window // MOST_FOR_THOUGHTS)
        messages = self._estimator.shorten(
            work.model, head, window=facts.context_window, reserve=reserve
        )
        may_call = lookups is not None and lookups.is_open
        if messages is not head:  # otherwise all of it fits, or nobody knows
            flags = self._window_flags(work.model, head, messages, facts.context_window, least)
            work.flags += [one for one in flags if one not in work.flags]
        return ChatRequest(
            model=work.model,
            messages=[*messages, *tail] if tail else messages,
            max_tokens=max_tokens,
            schema=work.step.answer.schema,
            tools=TOOLS if lookups is not None and (may_call or lookups.is_used) else (),
            may_call=may_call,
            sampling=work.sampling,
            deadline_s=work.deadline_s,
            silence_s=work.step.silence_s,
            patience_s=work.patience_s,
            label=f"{work.live.id}/{work.step.key}",
        )

    def _window_flags(
        self, model: str, head: list[Message], kept: list[Message], window: int | None, least: int
    ) -> Iterator[str]:
        """Whether something was not given to the model, and whether the rest is still too much for
        it: many servers cut that off and say nothing."""
        if len(kept) < len(head):
            yield "shortened"
        if window is not None and self._estimator.tokens(model, kept) + least > window:
            yield "overfull"

    async def _refuse(
        self, work: Work, reply: ChatReply, code: str, reason: str, report: Report
    ) -> None:
        """Have a reply recorded that is no answer, and make ready to ask once more."""
        work.live.writing.void(work.step)
        if work.lookups is not None:
            work.lookups.close()
        # A new list: the request that was sent still holds the old one.
        work.messages = [*work.messages, *_asked_again(reply.content, reason)]
        event = AttemptFailed(
            attempt_of=work.step.key,
            attempt=len(work.failed) + 1,
            code=code,
            error=reason,
            participant=work.step.participant,
            model=reply.model or work.model,
            usage=reply.usage,
            duration_ms=reply.duration_ms,
            reply=reply.content,
        )
        work.phase = Phase.TOLD
        await _report(work, report, event)


def _model(state: DebateState, step: Step) -> str:
    if step.model or step.participant == USER:
        return step.model
    return state.participants[step.participant].model


async def _report(work: Work, report: Report, event: AttemptFailed) -> None:
    work.failed.append(event)
    await report(event)


def _asked_again(reply: str, reason: str) -> list[Message]:
    if not reply.strip():
        # Providers refuse blank messages; the same question once more is all there is to send.
        return []
    again = prompts.render(Prompt(AGAIN, {"reason": reason}))
    return [Message(role="assistant", content=reply), Message(role="user", content=again)]


def _most_readings(reason: str) -> int:
    """How many attempts there are, if the last could not be read for that reason."""
    return MOST_ECHOES if reason == ECHO.reason else MAX_READINGS


def _taken(
    work: Work, reply: ChatReply, flags: tuple[str, ...], readings: int
) -> TurnRecorded | Unreadable:
    """The turn that the reply amounts to, or why it is none and has to be asked for again."""
    answer = work.step.answer
    data = _read(work, reply.content)
    if not isinstance(data, Unreadable):
        return _turn(work, reply, data, flags)
    is_last = readings >= _most_readings(data.reason)
    if not is_last or answer.given_up(reply.content, data) is not OnUnreadable.RECORD:
        return data
    if not answer.is_speech:
        work.flags.append(UNREADABLE)
    if answer.is_speech or data.reason == ECHO.reason:
        work.flags.append(ECHOED)
    return _turn(work, reply, answer.fallback(data.for_people))


def _read(work: Work, text: str) -> dict[str, Any] | Unreadable | None:
    """The data in the text, if it is an answer and not what the prompt said."""
    step = work.step
    if is_echo(text, prompts.example(step.prompt.template)) or _is_repeated(work, text):
        return ECHO
    return BABBLE if step.kind in DECIDES and is_babble(text) else step.answer.read(text)


def _is_repeated(work: Work, text: str) -> bool:
    if work.step.answer.takes_echoes:
        return False
    own = prompts.template(work.step.prompt.template)
    asked = dict.fromkeys((work.prompt, work.messages[-1].content))
    return any(repeats(text, one, own, prompts.template(AGAIN)) for one in asked)


def _attempt(work: Work, notice: AttemptNotice) -> AttemptFailed:
    return AttemptFailed(
        attempt_of=work.step.key,
        attempt=len(work.failed) + 1,
        code=notice.error.code,
        error=mistake(notice.error),
        participant=work.step.participant,
        model=work.model,
        usage=notice.usage,
        duration_ms=notice.duration_ms,
        retry_in_s=notice.retry_in_s,
    )


def _tidied(work: Work, reply: ChatReply) -> tuple[ChatReply, tuple[str, ...]]:
    """The reply as speech, if it is one, and the flags that it gets for that; see `speech`."""
    speaker = work.roster.get(work.step.participant)
    if speaker is None or not work.step.answer.is_speech:
        return reply, ()
    said = tidy(reply.content, speaker, work.roster.values(), work.step.kind)
    if said.text != reply.content:
        reply = msgspec.structs.replace(reply, content=said.text)
    return reply, said.flags


def _turn(
    work: Work, reply: ChatReply, data: dict[str, Any] | None, flags: tuple[str, ...] = ()
) -> TurnRecorded:
    step = work.step
    told = [*work.flags, *flags, *step.answer.flags(data)]
    if reply.finish in FLAGS:
        told.append(FLAGS[reply.finish])
    if reply.ignored and any(name in reply.ignored for name, _ in work.wished.given):
        told.append(IGNORED)
    return recorded(
        step,
        content=step.answer.shown(reply.content, data),
        data=data,
        prompt=work.prompt,
        model=work.model,
        usage=reply.usage,
        duration_ms=reply.duration_ms,
        attempts=len(work.failed) + 1,
        finish=reply.finish,
        flags=tuple(told),
        reasoning=_kept("\n\n".join(filter(None, (*work.thoughts, reply.thought)))),
        sampling=work.sampling.without(reply.ignored),
    )


def _told(work: Work, error: ModelError) -> str:
    """What went wrong, and how to go on if nothing but patience has run out."""
    if not error.waited_s or not work.step.is_patient:
        return mistake(error)
    return f"{mistake(error)}; try again when it answers"


def _kept(thought: str) -> str:
    left_out = len(thought) - MAX_REASONING
    if left_out <= 0:
        return thought
    return f"{thought[:MAX_REASONING]}\n\n[… {left_out:,} more characters were not kept]"


def _given_up(work: Work, notice: AttemptNotice) -> ModelError | None:
    """The error with which a step that will not wait is given up; None if an outage is to be waited
    out. That nobody answers is not the fault of who is asked, but not to answer in time is."""
    if isinstance(notice.error, RateLimited):
        notice.error.retry_after_s = notice.error.retry_after_s or notice.retry_in_s
        return notice.error
    longest_s = work.step.silence_s or work.deadline_s
    is_silent = isinstance(notice.error, ModelUnavailable)
    return notice.error if is_silent and notice.duration_ms / 1000 >= WHOLE * longest_s else None


def _failed(work: Work, code: str, reason: str, retry_in_s: float | None = None) -> StepFailed:
    return StepFailed(
        failed_key=work.step.key,
        code=code,
        error=reason,
        attempts=len(work.failed),
        retry_in_s=retry_in_s,
    )
