// What a room's parts ask of its state.
import { signal } from "../lib/ui.js";
import { draft } from "../lib/keep.js";

const rooms = new WeakMap();

// What only this page knows of a room: the message that is being changed, and the cards that were unchecked.
export function roomOf(live) {
	if (!rooms.has(live)) {
		const where = draft(`${live.id}.unchecked`);
		const unchecked = signal(new Set(where.get().split(",").filter(Boolean).map(Number)));
		unchecked.subscribe((now) => where.set([...now].join(",")));
		rooms.set(live, { editing: signal(null), unchecked });
	}
	return rooms.get(live);
}

export const labelOf = (one) => (one.title ? `${one.name} | ${one.title}` : one.name);
export const allows = (live, what) => live.view.value?.allows.includes(what) ?? false;

// Whether a model has the floor, or is about to.
export const isBusy = (live) =>
	["running", "stopping"].includes(live.state.status) &&
	(live.writing.value.size > 0 || Boolean(live.view.value?.room?.waiting_for.length));

// The turns in their order, each notice behind the last turn that was there when it was told.
// Cards stand above the input, and of who skipped a notice tells.
export function itemsOf({ turns, notices }) {
	const items = [];
	const shown = turns.filter((turn) => !turn.is_pending && !turn.is_silent);
	let at = shown.length - 1;
	for (let n = notices.length - 1; n >= 0; n--) {
		while (at >= 0 && shown[at].seq > notices[n].seq) items.push(shown[at--]);
		items.push(notices[n]);
	}
	while (at >= 0) items.push(shown[at--]);
	return items.toReversed();
}

// The last answer of each model: the one that can be given again.
export function lastAnswers({ turns }) {
	const last = new Map();
	for (const turn of turns)
		if (turn.kind === "speak" && turn.model && !turn.is_silent && (last.get(turn.participant) ?? 0) < turn.seq)
			last.set(turn.participant, turn.seq);
	return last;
}

// Why nobody can type now; empty if somebody can.
export function whyNot(live) {
	const { status, pacing, turns } = live.state;
	if (status === "created" || allows(live, "say")) return "";
	if (!live.view.value) return "One moment.";
	if (status === "failed") return "It failed. Press Retry to go on.";
	if (turns.some((turn) => turn.is_pending)) return "Answers are pending: include or dismiss them first.";
	return pacing === "auto"
		? "Auto mode is on: switch to manual, or stop, to type."
		: "The members are still answering: wait for them, or stop.";
}
