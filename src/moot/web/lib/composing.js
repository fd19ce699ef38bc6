// A debate that is being put together: what was chosen, who is drawn, and what will be sent.
import { batch, computed, signal } from "./ui.js";
import { get, once, post } from "./api.js";
import { draft, preference } from "./keep.js";
import { formatOf } from "./formats.js";
import { fieldsOf, labelOf, settingsOf, typed } from "./schema.js";

const kept = draft("new");
const BLANK = { format: "duel", topic: "", values: {}, rows: null, isDrawn: true, file: "", isPerSeat: false };
const TEXTS = ["name", "title", "personality", "position", "instructions", "room_instructions", "judging_criteria"];
const WISHES = ["reasoning_effort", "temperature", "top_p", "sampling_seed"];
const NUMBERS = new Set(WISHES.slice(1));
const TABLE = 4; // members of a council or room that is drawn
const BENCH = new Set(["judge", "moderator"]);
const MODELS = ["model_debater", "model_judge"];

const begun = () => {
	try {
		const found = JSON.parse(kept.get() || "{}");
		return Object.fromEntries(Object.entries(BLANK).map(([name, value]) => [name, found[name] ?? value]));
	} catch {
		return BLANK;
	}
};

export const form = signal(begun());
export const problem = signal(null);
export const formats = signal([]);
export const personas = signal([]);
export const teams = signal([]);
export const models = signal(null);
export const files = signal([]);
export const openSeat = signal(null);
export const told = signal(null); // what a change of format left out, and the form before it
export const myName = preference("my-name", "");

export const chosen = computed(() => formats.value.find((one) => one.id === form.value.format));
export const fields = computed(() => (chosen.value ? fieldsOf(chosen.value.settings_schema) : []));
const byRole = (role) => personas.value.filter((one) => one.role === role && ["general", "own"].includes(one.origin));

export function change(changes) {
	batch(() => {
		form.value = { ...form.value, ...(typeof changes === "function" ? changes(form.value) : changes) };
		problem.value = null;
	});
	kept.set(JSON.stringify(form.value));
}
export const setValue = (name, value) => change((now) => ({ values: { ...now.values, [name]: value } }));

export function clear() {
	batch(() => {
		form.value = BLANK;
		files.value = [];
		problem.value = openSeat.value = told.value = null;
	});
	kept.set("");
}

// What there is to choose from. A draft of a format that is no longer there becomes a duel.
export async function load(file) {
	get("/api/models").then(
		(page) => (models.value = page),
		() => {},
	);
	try {
		const [list, people, groups] = await Promise.all([
			once("/api/formats").then((page) => Promise.all(page.items.map((one) => once(`/api/formats/${one.id}`)))),
			get("/api/personas"),
			once("/api/teams"),
		]);
		batch(() => {
			formats.value = list;
			personas.value = people.items;
			teams.value = groups.items;
			if (!chosen.value) form.value = { ...form.value, format: list[0].id, rows: null };
		});
		if (file) await takeFile(file);
		else if (!form.value.rows) await draw();
	} catch (refused) {
		problem.value = refused;
	}
}

// --- who takes part ------------------------------------------------------------------------------

export const seatOf = (persona, role, stance = "none") => ({
	...Object.fromEntries([...TEXTS, "color", "model"].map((name) => [name, persona[name] ?? ""])),
	role,
	stance,
});
const rowOf = (one) => ({
	...seatOf(one, one.role, one.stance),
	...Object.fromEntries(WISHES.map((name) => [name, one.sampling?.[name === "sampling_seed" ? "seed" : name] ?? ""])),
});
const among = (list, n) =>
	list
		.map((one) => [Math.random(), one])
		.toSorted(([a], [b]) => a - b)
		.slice(0, n)
		.map(([, one]) => one);

function seated(members, judge) {
	const bench = form.value.format === "council" && judge ? [seatOf(judge, "judge")] : [];
	return [...members.map((one) => seatOf(one, "member")), ...bench];
}

export function takeTeam(team) {
	const named = (name) => personas.value.find((one) => one.name === name);
	return seated(team.members.map(named).filter(Boolean), named(team.judge));
}

// The server draws for and against, judge and moderator. Members are four who suit any question, then by lot.
async function cast(isAgain) {
	const { format, file } = form.value;
	if (file) return (await staged({ file })).participants.map(rowOf);
	const { isPair, roles } = formatOf(format);
	const general = teams.value.find((one) => one.name === "general");
	if (roles[0] === "member")
		return general && !isAgain
			? takeTeam(general)
			: seated(among(byRole("member"), TABLE), among(byRole("judge"), 1)[0]);
	return (await staged({ topic: "?", format: isPair ? "duel" : format })).participants.map(rowOf);
}
const staged = async (body) => (await post("/api/forecasts", body)).staged;

export async function draw(isAgain = false) {
	const { format, file } = form.value;
	try {
		const rows = await cast(isAgain);
		if (form.value.format !== format || form.value.file !== file || !rows.length) return;
		batch(() => {
			openSeat.value = null;
			if (isAgain) change({ rows, isDrawn: true });
			else form.value = { ...form.value, rows, isDrawn: true };
		});
	} catch (refused) {
		problem.value = refused;
	}
}

async function takeFile(name) {
	try {
		const found = await staged({ file: name });
		batch(() => {
			told.value = problem.value = openSeat.value = null;
			form.value = {
				...BLANK,
				file: name,
				topic: found.topic,
				format: found.format,
				values: typed(found.settings),
				rows: found.participants.map(rowOf),
			};
		});
	} catch (refused) {
		problem.value = refused;
	}
}

export const changeRows = (update) => change((now) => ({ rows: update(now.rows ?? []), isDrawn: false }));
export const changeSeat = (n, changes) =>
	changeRows((rows) => rows.map((row, at) => (at === n ? { ...row, ...changes } : row)));

export function addSeat() {
	const { roles, isPair } = formatOf(form.value.format);
	const rows = form.value.rows ?? [];
	const speaker = roles.find((one) => !BENCH.has(one));
	const bench = roles.find((one) => BENCH.has(one));
	const speaking = rows.filter((one) => !BENCH.has(one.role));
	const isBenchNext = bench && !rows.some((one) => one.role === bench) && speaking.length >= 2;
	if (isPair && speaking.length >= 2 && !isBenchNext) return null;
	const role = isBenchNext ? bench : speaker;
	const run = () => {
		const taken = new Set(rows.map((one) => one.name));
		const [found] = among(
			byRole(role).filter((one) => !taken.has(one.name)),
			1,
		);
		const stance = isPair && role === speaker ? (speaking[0]?.stance === "pro" ? "con" : "pro") : "none";
		const made = seatOf(found ?? { name: "" }, role, stance);
		changeRows((now) => (role === "moderator" ? [made, ...now] : insert(now, made)));
		openSeat.value = form.value.rows.indexOf(made);
	};
	return { role, run };
}

// Who speaks comes before who judges.
function insert(rows, made) {
	const at = BENCH.has(made.role) ? -1 : rows.findIndex((one) => one.role === "judge");
	return at < 0 ? [...rows, made] : rows.toSpliced(at, 0, made);
}

// A person takes the seat with the side it stands for, and can give it back.
export function takeSeat(n) {
	const before = form.value.rows[n];
	const { role, stance, position } = before;
	changeSeat(n, {
		...seatOf({ name: myName.value || "Guest", position }, role, stance),
		...Object.fromEntries(WISHES.map((name) => [name, ""])),
		model: "human",
		before,
	});
}
export const giveBack = (n) => changeRows((rows) => rows.map((row, at) => (at === n ? (row.before ?? row) : row)));

// --- another format ------------------------------------------------------------------------------

export function choose(id) {
	const before = form.value;
	if (before.format === id) return;
	const schema = formats.value.find((one) => one.id === id)?.settings_schema;
	const values = Object.entries(before.values);
	const known = new Set(schema ? fieldsOf(schema).map((one) => one.name) : values.map(([name]) => name));
	const lost = values.filter(([name, value]) => !known.has(name) && value !== "").map(([name]) => labelOf(name));
	const isKept = before.rows && !before.isDrawn;
	const { rows, out } = isKept ? reseat(before.rows, formatOf(id)) : { rows: null, out: [] };
	change({ format: id, values: Object.fromEntries(values.filter(([name]) => known.has(name))), rows, file: "" });
	openSeat.value = null;
	told.value = out.length || lost.length || isKept ? { out, lost, before, isKept } : null;
	if (!rows && schema) draw();
}

export function undo() {
	change(told.value.before);
	told.value = openSeat.value = null;
}

function reseat(rows, { roles, isPair }) {
	const speaker = roles.find((one) => !BENCH.has(one));
	const out = [];
	const made = [];
	for (const row of rows) {
		const speaking = made.filter((one) => !BENCH.has(one.role)).length;
		const isUpright = BENCH.has(row.role);
		const fits = isUpright ? roles.includes(row.role) : !isPair || speaking < 2;
		if (!fits) out.push(row.name);
		else if (isUpright) made.push(row);
		else made.push({ ...row, role: speaker, stance: stanceOf(row, made, speaker, isPair) });
	}
	return { rows: made, out };
}

function stanceOf(row, made, speaker, isPair) {
	if (speaker === "member") return "none";
	if (!isPair) return row.stance;
	const other = made.find((one) => one.role === "debater");
	return other ? (other.stance === "pro" ? "con" : "pro") : row.stance === "con" ? "con" : "pro";
}

// --- models --------------------------------------------------------------------------------------

export const modelOf = () => form.value.values.model_debater || models.value?.debaters?.model || "";

export const withModel = (now, name) => ({
	values: { ...now.values, ...Object.fromEntries(MODELS.map((each) => [each, name])) },
	rows: now.rows && now.rows.map((row) => (row.model === "human" ? row : { ...row, model: "" })),
});
export const useModel = (name) => change((now) => ({ ...withModel(now, name), isPerSeat: false }));

// --- what is sent --------------------------------------------------------------------------------

const participantsOf = (rows) =>
	rows.map((row) =>
		Object.fromEntries(
			Object.entries(row)
				.filter(([name, value]) => name !== "before" && value !== "" && value != null)
				.map(([name, value]) => [name, NUMBERS.has(name) ? Number(value) : value]),
		),
	);

export const wanted = (now = form.value) => ({
	topic: now.topic.trim(),
	format: now.format,
	settings: settingsOf(fields.value, now.values),
	...(now.rows && { participants: participantsOf(now.rows) }),
});

export async function create(start) {
	const made = await post("/api/debates", {
		...wanted(),
		...(files.value.length && { attachments: files.value }),
		start,
	});
	const me = form.value.rows?.find((row) => row.model === "human");
	if (me) myName.value = me.name;
	clear();
	return made;
}
