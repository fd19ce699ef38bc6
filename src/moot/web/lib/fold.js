// The fold: what a log amounts to, for people to look at. Pure: no DOM, no clock, no network.
//
// Rule 1: the same events give the same state, whoever folds them and however often the stream was cut.
// Rule 2: status and commands are what the server says they are after an event; there is no table of them here.
//         An event of a later version that is not known here changes nothing else but `seq`.
//         What a format is like is for the server to say, too.
// Rule 3: a turn is replaced, never changed, so that what is drawn can be compared by identity.

import { isOpenEnded } from "./formats.js";

const NO_USAGE = { input_tokens: 0, output_tokens: 0, thought_tokens: 0, cached_tokens: 0, cost_usd: null };

export function newState() {
	return {
		seq: 0,
		at: null,
		createdAt: null,
		status: "created",
		commands: [],
		config: null,
		format: "",
		topic: "",
		title: "",
		settings: {},
		participants: new Map(),
		left: new Map(),
		stage: null,
		round: 0,
		visits: new Map(),
		turns: [],
		bySeq: new Map(),
		statements: 0,
		calls: 0,
		unanswered: 0,
		usage: { ...NO_USAGE },
		scores: [],
		questions: new Map(),
		limits: {},
		notices: [],
		failure: null,
		failures: new Map(),
		trouble: new Map(),
		stopReason: null,
		stoppedAt: null,
		outcome: null,
		pacing: "auto",
		hasOpenCards: false,
		isEnding: false,
		forkedFrom: null,
		rematchOf: "",
		follows: "",
		hears: null, // {debate, at}: what a hearing is about
		panel: "",
		origin: "",
	};
}

// Applies one event as the stream sends it: {seq, at, type, ...fields, after: {status, commands}}.
// Ignores events that were read before.
export function apply(state, event) {
	if (event.seq <= state.seq) return state;
	state.seq = event.seq;
	state.at = event.at;
	state.status = event.after.status;
	state.commands = event.after.commands;
	CHANGES[event.type]?.(state, event);
	return state;
}

export function fold(events) {
	const state = newState();
	for (const event of events) apply(state, event);
	return state;
}

// Places are compared element by element; a shorter one that is the beginning of another comes first.
export function comparePlaces(a, b) {
	for (let i = 0; i < a.length && i < b.length; i++) if (a[i] !== b[i]) return a[i] - b[i];
	return a.length - b.length;
}

function insert(turns, turn) {
	let at = turns.length;
	while (at > 0 && comparePlaces(turns[at - 1].place, turn.place) > 0) at--;
	turns.splice(at, 0, turn);
}

function add(state, turn) {
	insert(state.turns, turn);
	state.bySeq.set(turn.seq, turn);
	state.trouble.delete(turn.step_key);
	state.questions.delete(turn.step_key);
}

function replace(state, old, changes) {
	const turn = { ...old, ...changes };
	state.bySeq.set(turn.seq, turn);
	let at = state.turns.length - 1;
	while (at >= 0 && state.turns[at] !== old) at--;
	if (at >= 0) state.turns[at] = turn;
}

function spend(state, usage) {
	if (!usage) return;
	const total = state.usage;
	for (const name of ["input_tokens", "output_tokens", "thought_tokens", "cached_tokens"])
		total[name] += usage[name] ?? 0;
	if (usage.cost_usd != null) total.cost_usd = (total.cost_usd ?? 0) + usage.cost_usd;
}

function count(state, from, to) {
	const edge = `${from ?? ""}>${to ?? ""}`;
	state.visits.set(edge, (state.visits.get(edge) ?? 0) + 1);
}

function turnRecorded(state, event) {
	add(state, { flags: [], included: true, ...event, isPrivate: event.visibility === "private" });
	spend(state, event.usage);
	if (event.model && !event.flags?.includes("inherited")) state.calls++;
	if (event.kind === "speak" && event.visibility === "public") state.statements++;
	addScores(state, event);
}

// Scores are in the judge's score of one statement (duel), or in its verdict on both (rounds).
function addScores(state, event) {
	const data = event.data;
	if (!data) return;
	const at = { seq: event.seq, place: event.place, stage: event.stage, round: event.round, by: event.participant };
	if (event.kind === "score" && typeof data.score === "number") {
		const scored = statementBefore(state, event);
		const of = event.about || scored?.participant;
		if (state.participants.has(of)) pushScore(state, { ...at, of, score: data.score, statement: scored?.seq });
	} else if (typeof data.score_a === "number" && typeof data.score_b === "number") {
		const [a, b] = [...state.participants.keys()];
		pushScore(state, { ...at, of: a, score: data.score_a });
		pushScore(state, { ...at, of: b, score: data.score_b });
	}
}

// The statement that a score is for; a log of version 0.1 may not say whose it is.
function statementBefore(state, { about, place }) {
	return state.turns.findLast(
		(turn) =>
			turn.kind === "speak" &&
			!turn.isPrivate &&
			(!about || turn.participant === about) &&
			comparePlaces(turn.place, place) < 0,
	);
}

function pushScore(state, score) {
	state.scores.push(score);
	state.scores.sort((x, y) => comparePlaces(x.place, y.place) || x.seq - y.seq);
}

function messageSaid(state, event) {
	if (isOpenEnded(state.format) && !event.content.trim()) return; // only a sign to go on
	const last = state.turns.at(-1);
	const before = !last ? [0] : last.step_key.startsWith("said/") ? last.place.slice(0, -1) : last.place;
	add(state, {
		seq: event.seq,
		at: event.at,
		step_key: `said/${event.seq}`,
		participant: event.participant,
		kind: "speak",
		stage: state.stage ?? "",
		round: state.round,
		place: [...before, event.seq],
		visibility: "public",
		content: event.content,
		data: null,
		flags: [],
		included: true,
		isPrivate: false,
	});
}

function wentOn(state) {
	state.stopReason = state.failure = null;
	state.failures.clear();
	state.trouble.clear();
}

const CHANGES = {
	DebateCreated(state, { config, at }) {
		state.config = config;
		state.createdAt = at;
		state.format = config.format;
		state.topic = config.topic;
		state.settings = config.settings ?? {};
		state.pacing = state.settings.pacing ?? state.pacing;
		state.forkedFrom = config.forked_from ?? null;
		state.rematchOf = config.rematch_of ?? "";
		state.follows = config.follows ?? "";
		state.hears = config.hears ?? null;
		state.panel = config.origin?.panel ?? "";
		state.origin = [config.origin?.door, config.origin?.kind].filter(Boolean).join("/");
		for (const one of config.participants) state.participants.set(one.id, one);
	},
	TurnRecorded: turnRecorded,
	MessageSaid: messageSaid,
	AttemptFailed(state, event) {
		state.calls++;
		// The model was not reached, or it refused.
		if (!event.reply && !event.usage?.input_tokens && !event.usage?.output_tokens) state.unanswered++;
		spend(state, event.usage);
		state.trouble.set(event.attempt_of, event);
	},
	ToolUsed(state, event) {
		if (event.model) state.calls++;
		spend(state, event.usage);
	},
	StepFailed(state, event) {
		state.failures.set(event.failed_key, event);
		state.trouble.delete(event.failed_key);
	},
	StepRetried(state, event) {
		state.failures.delete(event.failed_key);
	},
	StageEntered(state, event) {
		count(state, state.stage, event.stage);
		state.stage = event.stage;
		state.round = event.round;
	},
	LimitReached(state, event) {
		state.limits[event.limit] ??= event.observed;
	},
	QuestionOpened(state, event) {
		state.questions.set(event.question_id, { ...event, id: event.question_id });
	},
	QuestionClosed(state, event) {
		state.questions.delete(event.question_id);
	},
	NoticePosted(state, event) {
		state.notices.push(event);
	},
	StopRequested(state, event) {
		if (event.after.status !== "stopped") return;
		state.stopReason = "stopped";
		state.stoppedAt = event.at;
	},
	DebateStopped(state, event) {
		state.stopReason = event.reason ?? "stopped";
		state.stoppedAt = event.at;
	},
	DebateResumed(state) {
		wentOn(state);
		// No time limit runs while a debate is stopped: such questions are asked anew.
		for (const [id, question] of state.questions) if (question.expires_at) state.questions.delete(id);
	},
	DebateRetried: wentOn,
	EndRequested(state) {
		wentOn(state);
		state.isEnding = true;
	},
	DebateFailed(state, event) {
		state.failure = event;
		state.stopReason = "error";
	},
	DebateCanceled(state) {
		state.stopReason = "canceled";
		state.questions.clear();
	},
	DebateCompleted(state, event) {
		if (state.stage) count(state, state.stage, null);
		state.stopReason = event.stop_reason;
		const { title, headline, doubts, counted, trust } = event;
		state.outcome = event.outcome && { ...event.outcome, title, headline, doubts, counted, trust };
		state.questions.clear();
	},
	ParticipantJoined(state, { participant }) {
		state.left.delete(participant.id);
		state.participants.set(participant.id, participant);
	},
	ParticipantLeft(state, { participant }) {
		const one = state.participants.get(participant);
		if (one) state.left.set(participant, one);
		state.participants.delete(participant);
	},
	ParticipantMuted(state, event) {
		mute(state, event.participant, true);
	},
	ParticipantUnmuted(state, event) {
		mute(state, event.participant, false);
	},
	TurnIncluded(state, event) {
		toggle(state, event.turn, true);
	},
	TurnExcluded(state, event) {
		toggle(state, event.turn, false);
	},
	CardsOpened(state) {
		state.hasOpenCards = true;
	},
	DebateRenamed(state, event) {
		state.title = event.title ?? "";
	},
	PacingChanged(state, event) {
		state.pacing = event.pacing;
	},
	SettingsChanged(state, event) {
		state.settings = { ...state.settings, ...event.settings };
	},
};

function mute(state, id, muted) {
	const one = state.participants.get(id);
	if (one) state.participants.set(id, { ...one, muted });
}

function toggle(state, seq, included) {
	const turn = state.bySeq.get(seq);
	if (turn) replace(state, turn, { included, is_pending: false, wasOffered: turn.wasOffered || turn.is_pending });
}
