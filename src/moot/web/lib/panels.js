// Panels: saved set-ups that can be asked.
import { signal } from "./ui.js";
import { get } from "./api.js";
import { listed } from "./models.js";
import { make } from "./wish.js";
import { plural } from "./words.js";

export const panels = signal(null); // the user's own first
export const broken = signal([]); // what is wrong with the user's files that cannot be asked, a sentence each
export const unread = signal(""); // why no panels could be read at all

export const pathOf = (name) => `/api/panels/${encodeURIComponent(name)}`;

const mistaken = ({ file, detail }) => `Your panel file ${file} has a mistake and cannot be asked: ${detail}`;

// Panels are files, and may have been changed since they were read.
export const load = () =>
	get("/api/panels").then(
		(found) => {
			panels.value = found.items;
			broken.value = found.broken.map(mistaken);
			unread.value = "";
		},
		({ detail }) => {
			panels.value = [];
			broken.value = [];
			unread.value = detail;
		},
	);

const LISTS = ["debaters", "judge", "for", "against", "audience"];
// Whether the panel's file has lists to draw participants from. An ordinary debate has no such lists, so the parts of
// this panel cannot be changed like those of a debate.
export const isDrawn = (panel) => LISTS.some((key) => panel[key]);

// The panel as an ordinary debate: to know what it takes, and to change its parts.
export function asDebate({ format, team, participants, premise, turns, settings, limits }) {
	return {
		topic: "?",
		format,
		...(team && { team }),
		...(participants && { participants: participants.map((one) => (one.trim ? { persona: one } : one)) }),
		settings: { ...(premise && { premise }), ...(turns && { turns }), ...settings, ...limits },
	};
}

// The debate in which the panel answers. Raises a Problem.
export const ask = (place, name, body) => make(place, `${pathOf(name)}/questions`, body);

// Who sits on the panel, in a sentence.
export function seatedOn(panel) {
	const of = (...roles) => panel.cast.filter(({ role }) => roles.includes(role));
	const [judges, leads, speakers] = [of("judge"), of("moderator"), of("debater", "member")];
	if (!panel.cast.length) return "Who takes part is drawn for each question.";
	if (isDrawn(panel)) {
		const counted = Object.entries({ moderator: leads, [speakers[0]?.role]: speakers, judge: judges })
			.filter(([, some]) => some.length)
			.map(([role, some]) => (some.length > 1 ? plural(some.length, role) : `one ${role}`));
		return `Drawn for each question: ${listed(counted)}.`;
	}
	const names = (some) => some.map(({ name }) => name);
	const isPair = speakers.length === 2 && speakers.every(({ side }) => side);
	const [first, second] = speakers.toSorted((a, b) => (a.side === "against") - (b.side === "against"));
	return [
		isPair ? `${first.name} against ${second.name}` : listed(names(speakers)),
		leads.length && ` led by ${listed(names(leads))}`,
		judges.length && ` before ${listed(names(judges))}`,
	]
		.filter(Boolean)
		.join("")
		.concat(".");
}
