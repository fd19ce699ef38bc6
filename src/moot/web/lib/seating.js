// Seats of a debate that is being put together: as rows of a form, and in another format. Pure, except for chance.
const TEXTS = ["name", "title", "personality", "position", "instructions", "room_instructions", "judging_criteria"];
export const WISHES = ["reasoning_effort", "temperature", "top_p", "sampling_seed"];
export const BENCH = new Set(["judge", "moderator"]);
export const speakerOf = (roles) => roles.find((one) => !BENCH.has(one));

export const isHuman = (row) => row.model === "human";

export const seatOf = (persona, role, stance = "none") => ({
	...Object.fromEntries([...TEXTS, "color", "model"].map((name) => [name, persona[name] ?? ""])),
	role,
	stance,
});
export const rowOf = (one) => ({
	...seatOf(one, one.role, one.stance),
	...Object.fromEntries(WISHES.map((name) => [name, one.sampling?.[name === "sampling_seed" ? "seed" : name] ?? ""])),
});
export const among = (list, n) =>
	list
		.map((one) => [Math.random(), one])
		.toSorted(([a], [b]) => a - b)
		.slice(0, n)
		.map(([, one]) => one);

// Those who have a seat in that format, too, as {rows}; {out} has the names of those who have none.
export function reseat(rows, { roles, isPair }) {
	const speaks = (row) => !BENCH.has(row.role);
	const speaking = rows.filter(speaks);
	const fits = (row) => (speaks(row) ? !isPair || speaking.indexOf(row) < 2 : roles.includes(row.role));
	const role = speakerOf(roles);
	const sides = speaking[0]?.stance === "con" ? ["con", "pro"] : ["pro", "con"];
	const stance = (row) => (isPair ? sides[speaking.indexOf(row)] : role === "member" ? "none" : row.stance);
	return {
		rows: rows.filter(fits).map((row) => (speaks(row) ? { ...row, role, stance: stance(row) } : row)),
		out: rows.filter((row) => !fits(row)).map((row) => row.name),
	};
}
