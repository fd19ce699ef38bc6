// Formats by what they do, in the server's words, and by what they are like.
import { served, Words } from "./words.js";

export const FIRST = ["duel", "council", "room"];

// What a format is like that is not installed here.
const UNKNOWN = { is_open_ended: false, is_offered: true, is_pair: false, is_scored: false, documents: [] };
const traitsOf = (id) => served.traits?.[id] ?? UNKNOWN;

// A conversation: people decide when it is over.
export const isOpenEnded = (id) => traitsOf(id).is_open_ended;
// Others are asked for about a debate, or a judge: never chosen by hand, and asked for anew instead of held again.
export const isOffered = (id) => traitsOf(id).is_offered;
// The first debater is for it, the second against.
export const isPair = (id) => traitsOf(id).is_pair;
// The judge scores every statement as soon as it is made.
export const isScored = (id) => traitsOf(id).is_scored;
// The names of what is written of a debate besides its transcript.
export const documentsOf = (id) => traitsOf(id).documents;

export function formatOf(id) {
	const known = served.formats?.[id] ?? { roles: ["debater"], name: Words(id) };
	return { ...known, nick: known.nick || known.name, isPair: isPair(id) };
}

// Without the stages that a debate with these participants does not get to, and without the ways there.
export function withoutVain(form, participants) {
	const roles = new Set([...participants.values()].map((one) => one.role));
	const vain = new Set(form.stages.filter(({ needs }) => needs && !roles.has(needs)).map(({ name }) => name));
	if (!vain.size) return form;
	return {
		...form,
		stages: form.stages.filter(({ name }) => !vain.has(name)),
		transitions: form.transitions.filter(({ from, to }) => !vain.has(from) && !vain.has(to)),
	};
}

// The setting that makes a debate short or long; medium is what the server has by default.
export function lengthsOf(id, fields) {
	const { length, unit, short, long } = formatOf(id);
	const field = fields.find((one) => one.name === length);
	const medium = field?.initial;
	return field && { field, unit, steps: { ...(short < medium && { Short: short }), Medium: medium, Long: long } };
}
