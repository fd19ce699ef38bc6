// Participants as people see them: a side or a number, initials, a face.
import { isPair } from "./formats.js";

const MEMBERS = 8;
const STANCES = { pro: "for", con: "against" };
const UPRIGHT = new Set(["judge", "moderator"]);

// "for", "against", "bench" for those who judge or moderate, or "" for everybody else.
export function sideOf(format, participants, id) {
	const one = participants.find((each) => each.id === id);
	if (UPRIGHT.has(one?.role)) return "bench";
	if (STANCES[one?.stance]) return STANCES[one.stance];
	if (!one || !isPair(format)) return "";
	return ["for", "against"][participants.filter((each) => !UPRIGHT.has(each.role)).indexOf(one)] ?? "";
}

// The class with a participant's colour and shape: those of its side, or of its place among the members.
export function toneOf(format, participants, id) {
	const side = sideOf(format, participants, id);
	if (side) return side === "bench" ? "judge" : side;
	const at = participants.findIndex((one) => one.id === id);
	return at < 0 ? "judge" : `m${at % MEMBERS}`;
}

// Those who have left keep the place they had.
const everybody = (live) => [...live.state.participants.values(), ...live.state.left.values()];
export const side = (live, id) => sideOf(live.state.format, everybody(live), id);
export const tone = (live, id) =>
	id === "user" && !isElsewhere(live) ? "you" : toneOf(live.state.format, everybody(live), id);

// What somebody argues, unless it is only what models are told when nobody knows the alternatives.
export const argued = ({ argues }) => (argues?.endsWith(" of two alternatives") ? "" : argues);

export const isPerson = (one) => one?.model === "human";

// Whether the debate was held elsewhere: a person who took part in it is not the one who reads it here.
export const isElsewhere = ({ state }) => state.origin.startsWith("import/") && !state.forkedFrom;

// What to call somebody on the page: the only person who takes part is "You".
export const called = (live, id) =>
	!isElsewhere(live) && isPerson(live.person(id)) && (id === "user" || everybody(live).filter(isPerson).length === 1)
		? "You"
		: live.person(id).name;

export function initials(name) {
	const parts = String(name).trim().split(/\s+/);
	const chosen = parts.length > 1 ? [parts[0], parts.at(-1)] : [parts[0]];
	return chosen
		.map((part) => [...part][0] ?? "")
		.join("")
		.toUpperCase();
}
