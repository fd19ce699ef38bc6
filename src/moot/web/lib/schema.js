// A format's settings schema as fields of a form, and what was typed into them as settings.
import { Words } from "./words.js";

const LIMITS = /^(max_runtime|max_total|max_cost|strict_budget|call_timeout|provider_patience|human_timeout)/;
const MODELS = /^model_/;
const SAMPLING = /^(reasoning_effort|temperature|top_p|sampling_seed)(_judge)?$/;
// From little to much; schemas list words alphabetically.
export const EFFORTS = ["none", "minimal", "low", "medium", "high"];

// Whoever types a question into the box has asked it; programs that name a topic have not.
const SAID_FIRST = "say_topic";
export const saidFirst = (fields, values) =>
	fields.some(({ name }) => name === SAID_FIRST) && { [SAID_FIRST]: values[SAID_FIRST] ?? true };

export function fieldsOf(schema) {
	const root = schema.$ref ? schema.$defs[schema.$ref.split("/").pop()] : schema;
	return Object.entries(root.properties).map(([name, given]) => {
		const wanted = given.anyOf?.find((one) => one.type !== "null") ?? given;
		const one = wanted.$ref ? schema.$defs[wanted.$ref.split("/").pop()] : wanted;
		return {
			name,
			label: given.title ?? Words(name),
			about: given.description ?? one.description ?? "",
			initial: name === SAID_FIRST || (given.default ?? null),
			isOptional: Boolean(given.anyOf?.some((any) => any.type === "null")),
			kind: kindOf(one, name),
			is_whole: one.type === "integer",
			minimum: one.minimum ?? one.exclusiveMinimum,
			maximum: one.maximum,
			choices: choicesOf(one.enum),
			group: LIMITS.test(name) ? "limits" : MODELS.test(name) || SAMPLING.test(name) ? "models" : "course",
		};
	});
}

const choicesOf = (words) =>
	words
		?.filter((value) => value !== null)
		.toSorted((a, b) => EFFORTS.indexOf(a) - EFFORTS.indexOf(b))
		.map((value) => ({ value, label: Words(value) }));

function kindOf(one, name) {
	if (one.enum) return "choice";
	if (one.type === "array") return "list";
	if (one.type === "boolean") return "bool";
	if (one.type === "integer" || one.type === "number") return "number";
	return one.maxLength > 400 && !MODELS.test(name) ? "long_text" : "text";
}

// Only what differs from the default, so that the server's defaults stay the server's.
export function settingsOf(fields, values) {
	const made = {};
	for (const field of fields) {
		const given = values[field.name];
		if (given === undefined) continue;
		const value = read(field, given);
		if (isSame(value, field.initial) || (field.kind === "text" && value === "" && !field.initial)) continue;
		made[field.name] = value;
	}
	return made;
}

// Settings from the server, as somebody would type them.
export const typed = (settings) =>
	Object.fromEntries(
		Object.entries(settings).map(([name, value]) => [name, Array.isArray(value) ? value.join("\n") : (value ?? "")]),
	);

// What is wrong with what was typed into a field of a form, as the browser sees it: {field, detail}.
export function wrongWith(input) {
	const [, setting, n, own] = /^(?:setting-(\w+)|seat-(\d+)-(\w+))$/.exec(input.id) ?? [];
	const field = setting ? `settings.${setting}` : own && `participants.${n}.${own}`;
	const kind = input.step === "1" ? "a whole number" : "a number";
	const span = input.max ? `from ${input.min} to ${input.max}` : `of at least ${input.min}`;
	return { field, detail: input.validity.valueMissing ? "is needed" : `must be ${kind} ${span}` };
}

const isSame = (a, b) => a === b || (Array.isArray(a) && a.length === 0 && !b?.length);

function read(field, given) {
	if (field.kind === "list")
		return String(given)
			.split("\n")
			.map((line) => line.trim())
			.filter(Boolean);
	if (given === "" && (field.kind === "number" || field.kind === "choice"))
		return field.isOptional ? null : field.initial;
	if (field.kind !== "number") return given;
	const number = Number(given);
	return Number.isFinite(number) ? number : given; // the server says what is wrong with it
}
