// Formats by what they do, in the server's words.
import { served, Words } from "./words.js";

export const FIRST = ["duel", "council", "room"];

export function formatOf(id) {
	const known = served.formats?.[id] ?? { roles: ["debater"], name: Words(id) };
	return { ...known, nick: known.nick || known.name, isPair: known.joins === "against" };
}

// The setting that makes a debate short or long; medium is what the server has by default.
export function lengthsOf(id, fields) {
	const { length, unit, short, long } = formatOf(id);
	const field = fields.find((one) => one.name === length);
	const medium = field?.initial;
	return field && { field, unit, steps: { ...(short < medium && { Short: short }), Medium: medium, Long: long } };
}
