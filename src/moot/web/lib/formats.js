// Formats: what they do, in the server's words, and what they are like.
import { served, Words } from "./words.js";

export const FIRST = ["duel", "council", "room"];

// The traits of a format that is not installed here.
const UNKNOWN = { is_open_ended: false, is_offered: true, is_pair: false, is_scored: false, documents: [] };
const traitsOf = (id) => served.traits?.[id] ?? UNKNOWN;

// Whether it is a conversation: people decide when it is over.
export const isOpenEnded = (id) => traitsOf(id).is_open_ended;
// Whether it can be chosen. Other formats are about a debate or a judge: they are asked for anew, and not held again.
export const isOffered = (id) => traitsOf(id).is_offered;
// Whether the first debater argues for it, and the second against.
export const isPair = (id) => traitsOf(id).is_pair;
// Whether the judge scores every statement as soon as it is made.
export const isScored = (id) => traitsOf(id).is_scored;
// The names of the documents that a debate has besides its transcript.
export const documentsOf = (id) => traitsOf(id).documents;

export function formatOf(id) {
	const known = served.formats?.[id] ?? { roles: ["debater"], name: Words(id) };
	return { ...known, nick: known.nick || known.name, isPair: isPair(id) };
}

// `form` without the stages that a debate with these participants cannot reach, and without the ways there.
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
