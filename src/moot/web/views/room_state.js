// What the parts of a room want to know of its state.
import { signal } from "../lib/ui.js";
import { draft } from "../lib/keep.js";
import { called } from "../lib/people.js";
import { plural } from "../lib/words.js";

const rooms = new WeakMap();

// What only this page knows of a room: the message that is being changed, and the answers that were unchecked.
export function roomOf(live) {
	if (!rooms.has(live)) {
		const where = draft(`${live.id}.unchecked`);
		const unchecked = signal(new Set(where.get().split(",").filter(Boolean).map(Number)));
		unchecked.subscribe((now) => where.set([...now].join(",")));
		rooms.set(live, { editing: signal(null), unchecked });
	}
	return rooms.get(live);
}

export const allows = (live, what) => live.view.value?.allows.includes(what) ?? false;

// Whether a model has the floor, or is about to.
export const isBusy = (live) =>
	["running", "stopping"].includes(live.state.status) &&
	(live.writing.value.size > 0 || Boolean(live.view.value?.room?.waiting_for.length));

export const pendingOf = ({ turns }) => turns.filter((turn) => turn.is_pending);

// What is being written, in manual pacing: it will be offered. In auto pacing it is heard at once.
export const offeredNow = (live) =>
	live.state.pacing === "manual"
		? [...live.writing.value.values()].filter((entry) => entry.visibility !== "private")
		: [];

export const isChoosing = (live) => pendingOf(live.state).length > 0 || offeredNow(live).length > 0;

export const isYou = (live, id) => called(live, id) === "You";

// "Ada", "Ada and Bob", "Ada, Bob and Cy", "Ada, Bob and 4 others".
export function listed(names) {
	if (names.length < 2) return names[0] ?? "";
	if (names.length < 4) return `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;
	return `${names.slice(0, 2).join(", ")} and ${plural(names.length - 2, "other")}`;
}

export const are = (names) => `${listed(names)} ${names.length > 1 ? "are" : "is"}`;
export const writersIn = (live) => [...live.writing.value.values()].map((entry) => called(live, entry.participant));

// The turns in their order, each notice after the last turn that was there when it was told. Offers have a place of
// their own, and a notice tells who skipped. Consecutive notices of one kind are joined.
export function itemsOf({ turns, notices: all, participants }) {
	const items = [];
	// Somebody who stops the room to say something lets it go on at once: both notices are left out.
	const isBrief = (one, next) => one?.code === "auto_stopped" && next?.code === "auto_started";
	const notices = all.filter((one, n) => !isBrief(one, all[n + 1]) && !isBrief(all[n - 1], one));
	const shown = turns.filter((turn) => !turn.is_pending && !turn.is_silent);
	let at = shown.length - 1;
	for (let n = notices.length - 1; n >= 0; n--) {
		while (at >= 0 && shown[at].seq > notices[n].seq) items.push(shown[at--]);
		items.push(notices[n]);
	}
	while (at >= 0) items.push(shown[at--]);
	return joined(items.toReversed(), [...(participants?.keys() ?? [])]);
}

const GROUPED = new Set(["joined", "left", "skipped"]);

// Joined names are in the order of the room, not in that in which answers happened to arrive.
function joined(items, order) {
	const found = [];
	const sorted = (who) => [...new Set(who)].toSorted((a, b) => order.indexOf(a) - order.indexOf(b));
	for (const one of items) {
		const last = found.at(-1);
		if (GROUPED.has(one.code) && last?.code === one.code)
			found[found.length - 1] = { ...last, who: sorted([...last.who, one.participant]) };
		else found.push(GROUPED.has(one.code) ? { ...one, who: [one.participant] } : one);
	}
	return found;
}

// The last answer of each model's participant: the one that can be given again.
export function lastAnswers({ turns }) {
	const last = new Map();
	for (const turn of turns)
		if (turn.kind === "speak" && turn.model && !turn.is_silent && (last.get(turn.participant) ?? 0) < turn.seq)
			last.set(turn.participant, turn.seq);
	return last;
}

// Who has nothing to add to the last thing that was said.
export function silentNow({ turns }) {
	const last = turns.findLastIndex((turn) => !turn.is_pending && !turn.is_silent && !turn.isPrivate);
	const answered = new Set(pendingOf({ turns }).map((turn) => turn.participant));
	const silent = turns.slice(last + 1).filter((turn) => turn.is_silent && !answered.has(turn.participant));
	return [...new Set(silent.map((turn) => turn.participant))];
}

// When what is typed now will go out; empty if at once.
export function whenOut(live) {
	const { status, pacing } = live.state;
	if (status === "created" || !live.view.value) return "";
	if (status === "failed") return "Yours goes out after Retry.";
	const writing = writersIn(live);
	const { unchecked } = roomOf(live);
	const cards = pendingOf(live.state);
	const chosen = cards.filter((turn) => !unchecked.value.has(turn.seq)).map((turn) => called(live, turn.participant));
	const who = writing.length ? `${are(writing)} still writing. ` : "";
	if (cards.length && !who) return "Choose what the others hear; yours comes after that.";
	if (chosen.length === 1) return `${who}Yours comes after ${chosen[0]}’s.`;
	if (who) return `${who}Yours comes ${pacing === "auto" ? "next" : "after the answers that you choose"}.`;
	return allows(live, "say") ? "" : "Yours comes next.";
}
