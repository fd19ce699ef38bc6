// Formats by what they do, in the server's words.
import { served, Words } from "./words.js";

export const FIRST = ["duel", "council", "room"];

export function formatOf(id) {
	const known = served.formats?.[id] ?? { roles: ["debater"], name: Words(id) };
	return { ...known, nick: known.nick || known.name, isPair: known.joins === "against" };
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
