// Two debates beside each other: what they differ in, and what was said in both at the same place. Pure.
import { cut, plain } from "./course.js";
import { isPerson, sideOf } from "./people.js";
import { Words, words } from "./words.js";

const SIDES = { for: "For", against: "Against" };
const NOTHING = "–";
const TEXTS = ["position", "personality", "instructions", "room_instructions", "judging_criteria"];
const LONGEST = 160;
// Settings that the seats and their models tell.
const ELSEWHERE = new Set(["model_debater", "model_judge", "stance_a"]);
// Critics and voters speak about what is shown already.
const BESIDE = new Set(["critique", "vote"]);

const peopleOf = ({ participants, left }) => [...participants.values(), ...left.values()];
const modelOf = (one) => (isPerson(one) ? "a person" : one.model || NOTHING);
const told = (text) => cut(plain(text), LONGEST) || NOTHING;

// Who sits where: Map("For" -> [participants]), first for, then against, then everybody else.
export function seatsOf(state) {
	const people = peopleOf(state);
	const found = new Map(Object.values(SIDES).map((seat) => [seat, []]));
	for (const one of people) {
		const side = sideOf(state.format, people, one.id);
		const seat = SIDES[side] ?? Words(side === "bench" ? one.role : `${one.role || "member"}s`);
		found.set(seat, [...(found.get(seat) ?? []), one]);
	}
	return new Map([...found].filter(([, seated]) => seated.length));
}

const joined = (people, tell) => [...new Set((people ?? []).map(tell))].join(", ") || NOTHING;

// Without what is the same in both: [[what, in the first, in the second], ...].
const differing = (rows) => rows.filter(([, a, b]) => a !== b);

// `labelOf(setting)` is what people call it.
export function differences(a, b, labelOf = Words) {
	return [
		...differing([
			["Question", a.topic, b.topic],
			["Format", Words(a.format), Words(b.format)],
		]),
		...cast(a, b),
		...(a.format === b.format ? settings(a, b, labelOf) : []),
		...differing([["Attached", attached(a), attached(b)]]),
	];
}

function cast(a, b) {
	const [first, second] = [seatsOf(a), seatsOf(b)];
	const seats = [...new Set([...first.keys(), ...second.keys()])];
	const each = (label, tell) =>
		seats.map((seat) => [label(seat), joined(first.get(seat), tell), joined(second.get(seat), tell)]);
	const models = each((seat) => `Model, ${seat.toLowerCase()}`, modelOf);
	const all = [a, b].map((state) => joined(peopleOf(state), modelOf));
	const isOne = all.every((name) => !name.includes(", "));
	const others = new Map(peopleOf(b).map((one) => [one.name, one]));
	const both = peopleOf(a).filter((one) => others.has(one.name));
	const texts = both.flatMap((one) =>
		TEXTS.map((text) => [`${one.name}, ${words(text)}`, told(one[text]), told(others.get(one.name)[text])]),
	);
	return differing([
		...each(
			(seat) => seat,
			(one) => one.name,
		),
		...(isOne ? [["Model", ...all]] : models),
		...texts,
	]);
}

function settings(a, b, labelOf) {
	const names = [...new Set([...Object.keys(a.settings), ...Object.keys(b.settings)])];
	const rows = names.filter((name) => !ELSEWHERE.has(name));
	return differing(rows.map((name) => [labelOf(name), said(a.settings[name]), said(b.settings[name])]));
}

function said(value) {
	if (value == null || value === "") return "not set";
	if (typeof value === "boolean") return value ? "yes" : "no";
	return Array.isArray(value) ? value.join("; ") || "not set" : told(String(value));
}

const attached = ({ config }) => (config?.attachments ?? []).map((one) => one.name).join(", ") || NOTHING;

// What was said in public, part by part: [{stage, round, pairs: [[turn or undefined, turn or undefined], ...]}, ...].
// A part that only one of them has stands where that one had it.
export function aligned(a, b) {
	// A stage that both had once is the same part, in whatever round it came.
	const isSingle = (stage) => [a, b].every((state) => roundsOf(state, stage).size <= 1);
	const [first, second] = [partsOf(a, isSingle), partsOf(b, isSingle)];
	const order = [...first.keys()];
	let at = 0;
	for (const key of second.keys()) {
		const known = order.indexOf(key);
		if (known < 0) order.splice(at++, 0, key);
		else at = known + 1;
	}
	return order.map((key) => {
		const [left, right] = [first.get(key) ?? [], second.get(key) ?? []];
		const { stage, round: given } = left[0] ?? right[0];
		const round = left[0] && right[0] && left[0].round !== right[0].round ? 1 : given;
		const pairs = Array.from({ length: Math.max(left.length, right.length) }, (_, n) => [left[n], right[n]]);
		return { stage, round, pairs };
	});
}

// In a hearing there is nothing but ballots.
const isSaid = (turn) => !turn.isPrivate && (!BESIDE.has(turn.kind) || turn.stage === "hearing");
const roundsOf = ({ turns }, stage) =>
	new Set(turns.filter((turn) => isSaid(turn) && turn.stage === stage).map((turn) => turn.round));

function partsOf(state, isSingle) {
	const isCounted = Boolean(state.settings.turns); // then rounds are not parts
	const single = new Map();
	const found = new Map();
	for (const turn of state.turns.filter(isSaid)) {
		const { stage, round } = turn;
		if (!single.has(stage)) single.set(stage, isCounted || isSingle(stage));
		const key = single.get(stage) ? stage : `${stage}/${round}`;
		if (!found.has(key)) found.set(key, []);
		found.get(key).push(turn);
	}
	return found;
}

// Whether a fork has this turn from its source.
export const isShared = ([a, b]) =>
	[a, b].some((turn) => turn?.flags?.includes("inherited")) && a?.step_key === b?.step_key;

export const wordsIn = ({ turns }) =>
	turns.filter((turn) => !turn.isPrivate).reduce((sum, turn) => sum + (turn.content?.match(/\S+/g)?.length ?? 0), 0);
