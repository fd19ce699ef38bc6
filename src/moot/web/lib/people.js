// Participants as people see them: a colour each, initials, a side.
const PALETTE = 8;
const COLOR = /^(#[0-9a-f]{6}|[a-z]{3,10})$/;

// The participant's own colour, or one of the palette by its number on the roster.
export function tint(live, id) {
	if (id === "user") return { class: "tint", style: undefined };
	const { participants, left } = live.state;
	const one = participants.get(id) ?? left.get(id);
	return tintOf(one, [...participants.keys()].indexOf(id));
}

export function tintOf(one, number) {
	if (one?.color && COLOR.test(one.color)) return { class: "tint", style: { "--tint": one.color } };
	return { class: `tint tint-${number < 0 ? 0 : number % PALETTE}`, style: undefined };
}

// A class and a style to spread over an element.
export function tinted(live, id, name) {
	const colour = tint(live, id);
	return { class: `${name} ${colour.class}`, style: colour.style };
}

export function initials(name) {
	const parts = String(name).trim().split(/\s+/);
	const chosen = parts.length > 1 ? [parts[0], parts.at(-1)] : [parts[0]];
	return chosen
		.map((part) => [...part][0] ?? "")
		.join("")
		.toUpperCase();
}
