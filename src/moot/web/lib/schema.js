// A format's settings schema as fields of a form, and what was typed back as settings.
import { Words } from "./words.js";

const LIMITS = /^(max_runtime|max_total|max_cost|strict_budget|call_timeout|provider_patience|human_timeout)/;
const MODELS = /^model_/;
const SAMPLING = /^(reasoning_effort|temperature|top_p|sampling_seed)(_judge)?$/;
// From little to much; schemas list words by the alphabet.
export const EFFORTS = ["none", "minimal", "low", "medium", "high"];

const LABELS = {
	max_runtime_seconds: "Stop after so many seconds",
	max_total_output_tokens: "Stop after so many tokens",
	max_cost_usd: "Stop when it has cost, in dollars",
	strict_budget: "Refuse to start if a price is not known",
	call_timeout_seconds: "Longest call, in seconds",
	provider_patience_seconds: "Patience with a provider, in seconds",
	human_timeout_seconds: "Time people have to answer, in seconds",
	reasoning_effort: "Thinking before answers",
	reasoning_effort_judge: "Thinking of judges",
	temperature_judge: "Temperature of judges",
	top_p_judge: "Top p of judges",
	sampling_seed_judge: "Sampling seed of judges",
	max_tokens: "Longest reply, in tokens",
	max_tokens_judge: "Judge's longest reply, in tokens",
	max_tokens_moderator: "Moderator's longest reply, in tokens",
	max_tokens_summary: "Longest summary, in tokens",
	max_tokens_free: "Longest reply in the free debate, in tokens",
	max_tokens_closing: "Longest closing, in tokens",
	checkpoint: "Wait between rounds",
	turns: "Statements",
	words: "Words per statement",
	words_moderator: "Words of the moderator",
	words_summary: "Words of the summary",
	words_free: "Words in the free debate",
	words_closing: "Words of a closing",
	max_rounds: "Rounds",
	free_rounds: "Rounds of free debate",
	facilitate: "The moderator steps in between rounds",
	think: "Think in private before every statement",
	judge_each_round: "Judge after every round",
	termination: "It ends",
	threshold: "Threshold, in per cent",
	answers: "What the council knows from the start",
	interactive_clarifications: "Members may ask you questions first",
	clarifications_max_iterations: "How many rounds of questions there may be",
	clarifications_max_per_agent: "How many questions each member may ask you first",
	summary_threshold_tokens: "Summarise a history longer than this, in tokens",
	decision: "How it is decided",
	compare: "Compare first and last proposals",
	max_tool_calls: "Looks into files, for each step",
	step_retries: "Further tries of a step that failed",
	response_delay: "Seconds between messages",
	max_messages: "Pause after so many messages",
	max_wait: "Seconds of silence",
	mention_depth: "Longest chain of mentions",
	compact: "Go on with a summary when the window is full",
};
export const labelOf = (name) => LABELS[name] ?? Words(name);

export function fieldsOf(schema) {
	const root = schema.$ref ? schema.$defs[schema.$ref.split("/").pop()] : schema;
	return Object.entries(root.properties).map(([name, given]) => {
		const wanted = given.anyOf?.find((one) => one.type !== "null") ?? given;
		const one = wanted.$ref ? schema.$defs[wanted.$ref.split("/").pop()] : wanted;
		return {
			name,
			label: given.title ?? labelOf(name),
			about: given.description ?? one.description ?? "",
			initial: given.default ?? null,
			isOptional: Boolean(given.anyOf?.some((any) => any.type === "null")),
			kind: kindOf(one, name),
			type: one.type,
			is_whole: one.type === "integer",
			minimum: one.minimum ?? one.exclusiveMinimum,
			maximum: one.maximum,
			maxLength: one.maxLength,
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

// Settings as they came from the server, as they are typed.
export const typed = (settings) =>
	Object.fromEntries(
		Object.entries(settings).map(([name, value]) => [name, Array.isArray(value) ? value.join("\n") : (value ?? "")]),
	);

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
