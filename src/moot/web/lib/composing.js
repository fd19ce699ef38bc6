// A debate that is being put together: what was chosen, who is drawn, and what will be sent.
import { batch, computed, signal } from "./ui.js";
import { get, once, post } from "./api.js";
import { make } from "./wish.js";
import { draft, preference } from "./keep.js";
import { formatOf } from "./formats.js";
import * as saved from "./panels.js";
import { among, BENCH, isHuman, reseat, rowOf, seatOf, speakerOf, WISHES } from "./seating.js";
import { fieldsOf, saidFirst, settingsOf, typed } from "./schema.js";
import { say } from "./toasts.js";
import { Words } from "./words.js";

export { isHuman, seatOf };

const kept = draft("new");
const BLANK = {
	format: "duel",
	panel: "", // asked instead, as it is; format and cast are kept in case somebody goes back
	topic: "",
	values: {},
	rows: null,
	isDrawn: true,
	file: "",
	isPerSeat: false,
};
const NUMBERS = new Set(WISHES.slice(1));
const MOST_TOLD = 5; // mistakes told in one line
const TABLE = 4; // members that are drawn for a council or room

const begun = () => {
	try {
		return { ...BLANK, ...JSON.parse(kept.get() || "{}") };
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
export const isMore = signal(false); // whether all formats are shown
export const isPanels = signal(false); // whether panels are shown
export const told = signal(null); // what a change of format left out, and the form before
export const myName = preference("my-name", "");

export const chosen = computed(() => formats.value.find((one) => one.id === form.value.format));
export const panel = computed(() => saved.panels.value?.find((one) => one.name === form.value.panel));
export const fields = computed(() => (chosen.value ? fieldsOf(chosen.value.settings_schema) : []));
export const labelOf = (name) => fields.value.find((one) => one.name === name)?.label ?? name;
// What the server says, with the labels that stand here instead of the names of settings.
export const inWords = (text) =>
	String(text ?? "").replace(/\b[a-z]+(?:_[a-z]+)+\b/g, (name) => {
		const label = labelOf(name);
		return label === name ? name : `“${label}”`;
	});
const byRole = (role) => personas.value.filter((one) => one.role === role && ["general", "own"].includes(one.origin));

// With `field`, mistakes in other fields stay shown.
export function change(changes, field) {
	batch(() => {
		form.value = { ...form.value, ...(typeof changes === "function" ? changes(form.value) : changes) };
		problem.value = field ? without(problem.value, field) : null;
	});
	kept.set(JSON.stringify(form.value));
}
export const setValue = (name, value) =>
	change((now) => ({ values: { ...now.values, [name]: value } }), `settings.${name}`);

// What is wrong.

// `settings.answers[0]` is about the field of the answers, `participants.2.name.0` about the name.
const fieldOf = (path) => path?.match(/^(settings\.\w+|participants\.\d+\.\w+|\w+)/)?.[0] ?? "";

// Every mistake by its field.
export const mistakes = computed(
	() => new Map(problem.value?.errors?.map(({ field, detail }) => [fieldOf(field), inWords(detail)])),
);

let refusals = 0;
// `at` counts refusals: each opens what it is about once, and not again while the mistake is being mended.
export function refuse(found) {
	const { status = 422, code = "invalid_input", detail = "", errors = [] } = found;
	problem.value = { status, code, detail: detail || errors[0]?.detail, errors, isStart: true, at: ++refusals };
}

function without(now, field) {
	const errors = now?.errors?.filter((one) => fieldOf(one.field) !== field) ?? [];
	return errors.length ? { ...now, errors, detail: errors[0].detail } : null;
}

// The mistakes in one line, each with its place; of very many only the first.
export function explained({ detail, errors }, most = MOST_TOLD) {
	if (!errors?.length) return inWords(detail);
	const all = [...new Map(errors.map((one) => [fieldOf(one.field), one.detail]))].map(([field, text]) => {
		const [where, what, which] = field.split(".");
		const at = { settings: labelOf(what), participants: form.value.rows?.[what]?.name }[where];
		const named = which && which !== "name" ? `, ${Words(which).toLowerCase()}` : "";
		return at && what ? `${at}${named}: ${inWords(text)}` : inWords(text);
	});
	const more = all.length - most;
	return [...all.slice(0, most), ...(more > 0 ? [`and ${more} more`] : [])].join(" · ");
}

// What is still missing.
export function missing() {
	const { topic, rows } = form.value;
	const seats = panel.value ? [] : (rows ?? []);
	const unnamed = seats.flatMap((row, n) => (isHuman(row) && !row.name.trim() ? [n] : []));
	return [
		...(topic.trim() ? [] : [{ field: "topic", detail: "Write your question or claim first." }]),
		...unnamed.map((n) => ({ field: `participants.${n}.name`, detail: "Say what you want to be called." })),
	];
}

// A draft is kept between visits. Whoever wants a clean form gets one, and the draft back if that was a slip.
export const isChanged = () => Object.keys(form.value.values).length > 0 || !form.value.isDrawn;
export async function startOver() {
	const [before, given] = [form.value, files.value];
	clear();
	await draw();
	return () => {
		change(before);
		files.value = given;
	};
}

export function clear() {
	batch(() => {
		form.value = BLANK;
		files.value = [];
		problem.value = openSeat.value = told.value = null;
	});
	kept.set("");
}

// What there is to choose from. A draft of a format that is no longer there becomes a duel.
export async function load(file, name) {
	// A shipped debate that was only looked at makes room for what was begun.
	if (!file && form.value.file) form.value = begun();
	get("/api/models").then(
		(page) => (models.value = page),
		() => {},
	);
	if (name) change({ panel: name });
	saved.load().then(() => {
		const { panel: wanted } = form.value;
		if (!wanted || panel.value) return;
		change({ panel: "" });
		if (!saved.unread.value && !saved.broken.value.length)
			say(`There is no panel called “${wanted}”.`, { kind: "bad" });
	});
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

// Who takes part.

function seated(members, judge) {
	const hasJudge = judge && formatOf(form.value.format).roles.includes("judge");
	const bench = hasJudge ? [seatOf(judge, "judge")] : [];
	return [...members.map((one) => seatOf(one, "member")), ...bench];
}

export function takeTeam(team) {
	const named = (name) => personas.value.find((one) => one.name === name);
	return seated(team.members.map(named).filter(Boolean), named(team.judge));
}

// The server draws for and against, judge and moderator. Members are at first four who suit any question, then drawn.
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
	const { topic, format, settings, participants } = await staged({ file: name });
	// The seats say who is on which side.
	const values = typed({ ...settings, stance_a: "" });
	batch(() => {
		told.value = problem.value = openSeat.value = null;
		form.value = { ...BLANK, file: name, topic, format, values, rows: participants.map(rowOf) };
	});
}

export const changeRows = (update, field) => change((now) => ({ rows: update(now.rows ?? []), isDrawn: false }), field);
// In a pair, each side is the opposite of the other; only debaters have one.
export function changeSeat(n, changes) {
	const turned = formatOf(form.value.format).isPair && { pro: "con", con: "pro" }[changes.stance];
	const other = (row) => (turned && row.role === "debater" ? { ...row, stance: turned } : row);
	const made = (row) => ({ ...row, ...changes, ...(BENCH.has(changes.role) && { stance: "none" }) });
	const names = Object.keys(changes);
	changeRows(
		(rows) => rows.map((row, at) => (at === n ? made(row) : other(row))),
		names.length === 1 ? `participants.${n}.${names[0]}` : undefined,
	);
}

// Who can be added next, as {role, run}: two who speak, then one who judges or leads, then more who speak.
export function addSeat() {
	const { roles, isPair } = formatOf(form.value.format);
	const rows = form.value.rows ?? [];
	const bench = roles.find((one) => BENCH.has(one));
	const speaking = rows.filter((one) => !BENCH.has(one.role));
	const isBench = bench && speaking.length >= 2 && !rows.some((one) => one.role === bench);
	if (isPair && speaking.length >= 2 && !isBench) return null;
	const role = isBench ? bench : speakerOf(roles);
	const run = () => {
		const [found] = among(byRole(role), personas.value.length).filter(
			({ name }) => !rows.some((one) => one.name === name),
		);
		const stance = isPair && !isBench ? (speaking[0]?.stance === "pro" ? "con" : "pro") : "none";
		const made = seatOf(found ?? { name: "" }, role, stance);
		// A moderator comes first, and a judge last.
		const judge = rows.findIndex((one) => one.role === "judge");
		const at = role === "moderator" ? 0 : isBench || judge < 0 ? rows.length : judge;
		changeRows((now) => now.toSpliced(at, 0, made));
		openSeat.value = at;
	};
	return { role, run };
}

// A person takes the seat with its side, and can give it back.
export function takeSeat(n) {
	const { rows } = form.value;
	const before = rows[n];
	const { role, stance, position } = before;
	const name = rows.some(isHuman) ? "" : myName.value; // the next person is somebody else
	changeSeat(n, {
		...seatOf({ name, position }, role, stance),
		...Object.fromEntries(WISHES.map((wish) => [wish, ""])),
		model: "human",
		before,
	});
}
export const giveBack = (n) => changeRows((rows) => rows.map((row, at) => (at === n ? (row.before ?? row) : row)));

// Another format.

export function choose(id) {
	const before = form.value;
	if (before.panel) change({ panel: "" });
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

// Chooses a panel; "" goes back to the format and cast from before.
export function choosePanel(name) {
	told.value = openSeat.value = null;
	change({ panel: name });
}

// Takes the panel's parts as those of an ordinary debate, which can be changed.
export async function takeParts() {
	const { format, settings, participants } = await staged(saved.asDebate(panel.value));
	const values = typed({ ...settings, stance_a: "" });
	batch(() => {
		change({ panel: "", file: "", format, values, rows: participants.map(rowOf), isDrawn: false });
		told.value = openSeat.value = null;
	});
}

export function undo() {
	change((now) => ({ ...told.value.before, topic: now.topic }));
	told.value = openSeat.value = null;
}

// Models.

export const modelOf = () => form.value.values.model_debater || models.value?.debaters?.model || "";

export const withModel = (now, name) => ({
	values: { ...now.values, model_debater: name, model_judge: name },
	rows: now.rows && now.rows.map((row) => (isHuman(row) ? row : { ...row, model: "" })),
});
export const unnameModels = () =>
	change((now) => ({ ...withModel(now, now.values.model_debater ?? ""), isPerSeat: false }));
export const useModel = (name) => change((now) => ({ ...withModel(now, name), isPerSeat: false }));

// What is sent.

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
	settings: { ...settingsOf(fields.value, now.values), ...saidFirst(fields.value, now.values) },
	...(now.rows && { participants: participantsOf(now.rows) }),
});

// What is sent for a forecast, which does not depend on the question. Seats without a name get one.
export function foreseen(now = form.value) {
	if (panel.value) return saved.asDebate(panel.value);
	const body = wanted(now);
	const named = body.participants?.map((one, n) => ({ ...one, name: one.name?.trim() || `Seat ${n + 1}` }));
	return { ...body, topic: "?", ...(named && { participants: named }) };
}

async function askPanel(start) {
	const { panel: name, topic } = form.value;
	const body = { question: topic.trim(), ...(files.value.length && { attachments: files.value }), start };
	try {
		const made = await saved.ask("new", name, body);
		clear();
		return made;
	} catch (refused) {
		refused.errors = refused.errors?.map((one) => (one.field === "question" ? { ...one, field: "topic" } : one));
		throw refused;
	}
}

export async function create(start) {
	if (panel.value) return askPanel(start);
	// The drawn cast is part of the wish, and has to be the same after a reload.
	if (!form.value.file) kept.set(JSON.stringify(form.value));
	const made = await make("new", "/api/debates", {
		...wanted(),
		...(files.value.length && { attachments: files.value }),
		start,
	});
	const me = form.value.rows?.find(isHuman);
	if (me) myName.value = me.name;
	clear();
	return made;
}
