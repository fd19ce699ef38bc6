// Formats by what they do: names, an ending of each in one line, whom they seat, how long they are.
import { plural, Words } from "./words.js";

const panel = { roles: ["moderator", "debater"], joins: "leads", ask: "What is there to be said?" };
const pair = { roles: ["debater", "judge"], joins: "against", isPair: true, ask: "Who makes the stronger case?" };
const rounds = (steps) => ({ name: "max_rounds", steps, say: (n) => plural(n, "round") });

const FORMATS = {
	duel: {
		...pair,
		name: "Two sides and a judge",
		end: "“Paloma won, 8 to 7: she answered the night bus.”",
		length: { name: "turns", steps: [4, 6, 10], say: (n) => plural(n, "statement") },
	},
	council: {
		roles: ["member", "judge"],
		name: "A council that writes an answer",
		short: "A council",
		end: "“One table, and a key per person. Pilar dissents.”",
		ask: "What should we do?",
		length: { name: "rounds", steps: [2, 3, 5], say: (n) => `${plural(n, "round")} at the most` },
	},
	room: {
		roles: ["member"],
		name: "A room to talk in",
		short: "A room",
		end: "“Irmgard: a shower, then. Not a home.”",
		ask: "Join in, or just listen.",
		length: {
			name: "max_messages",
			steps: [20, 50, 120],
			say: (n) => (n ? `Pauses after ${plural(n, "message")}` : "Never pauses by itself"),
		},
	},
	rounds: {
		...pair,
		name: "A short exchange in rounds",
		end: "“Against, on the cost of waiting: nothing new was said in round 4.”",
		length: rounds([2, 5, 8]),
	},
	standard: {
		...panel,
		name: "An open panel, until you end it",
		end: "“Samuel sums up: flats above, a market below, and no new car park.”",
		length: rounds([3, 5, 8]),
	},
	custom: {
		...panel,
		name: "A panel with a set number of rounds",
		end: "“Three blame Victor, one blames the reader.”",
		length: rounds([2, 3, 6]),
	},
	classic: {
		...panel,
		name: "Openings, rebuttals and summaries",
		end: "“Both sides now agree on the pilot, and on nothing else.”",
		length: { name: "free_rounds", steps: [1, 2, 4], say: (n) => `${plural(n, "round")} of free debate` },
	},
};
export const FIRST = ["duel", "council", "room"];

export function formatOf(id) {
	const known = FORMATS[id] ?? { roles: ["debater"], name: Words(id), end: "", ask: "" };
	return { short: known.name, ...known };
}

// A step of the length that is the format's own default is that default, whatever it is today.
export function lengthsOf(id, fields) {
	const length = FORMATS[id]?.length;
	const field = fields.find((one) => one.name === length?.name);
	if (!field) return null;
	const [short, , long] = length.steps;
	return { ...length, field, steps: { Short: short, Medium: field.initial, Long: long } };
}
