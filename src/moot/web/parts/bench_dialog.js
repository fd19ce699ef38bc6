// Asking a bench about a debate that is over: who judges, how often, and what that takes before anything is spent.
import { html, useState } from "../lib/ui.js";
import { go } from "../lib/route.js";
import { make } from "../lib/wish.js";
import { Asking } from "./again_dialogs.js";
import { Field } from "./fields.js";
import { Taking, useForecast } from "./forecasting.js";
import { LIMIT, Offered, limited } from "./offered.js";

const TIMES = ["Once, and twice more if nearly of one mind", "Once", "Twice", "3 times", "4 times", "5 times"];
const FIELDS = [
	{
		name: "bench",
		label: "Judges",
		kind: "text",
		about:
			"Models as provider:name, personas, or “human”, with commas between them. Empty: models that are ready here.",
		more: { autofocus: true, spellcheck: false, autocomplete: "off", maxlength: 1000 },
	},
	{
		name: "repeats",
		label: "How often each votes in each order",
		kind: "choice",
		choices: TIMES.map((label, n) => ({ value: String(n), label })),
	},
	{
		name: "isBoth",
		label: "Ask in both orders of the names",
		kind: "bool",
		about: "Without it, nobody can tell whether a judge goes by the name, and nothing is certified.",
	},
	{ name: "allowsOwn", label: "Let a model judge a debate in which it spoke", kind: "bool" },
	LIMIT,
];
// The names under which the server tells what is wrong with a field.
const TOLD_AS = {
	bench: ["bench", "participants"],
	isBoth: ["orders"],
	allowsOwn: ["allow_own"],
};

const named = (text) =>
	text
		.split(",")
		.map((one) => one.trim())
		.filter(Boolean);

function bodyOf({ bench, repeats, isBoth, allowsOwn, max_cost_usd: cap }) {
	return {
		bench: named(bench),
		repeats: Number(repeats),
		orders: isBoth ? "both" : "one",
		allow_own: allowsOwn,
		...limited(cap),
	};
}

// A problem without a field can only be about the model of a judge.
const errorsOf = (problem) =>
	problem?.code === "no_model" && !problem.errors.length
		? [{ field: "bench", detail: problem.detail }]
		: problem?.errors;

export function BenchDialog({ live, onClose }) {
	const [values, setValues] = useState({ bench: "", repeats: "0", isBoth: true, allowsOwn: false, max_cost_usd: "" });
	const path = `/api/debates/${live.id}/hearings`;
	const body = bodyOf(values);
	const on = body.bench;
	const { seen, last, refused, isPending } = useForecast(`${path}/forecasts`, JSON.stringify(body));
	const change = (name, value) => setValues((now) => ({ ...now, [name]: value }));
	const seat = (name) => change("bench", [...on, name].join(", "));
	const send = async () => {
		const made = await make(`${live.id}.hearing`, path, body).catch((problem) => {
			problem.errors = errorsOf(problem);
			throw problem;
		});
		onClose();
		go(`/debates/${made.id}`);
	};
	const field = (wrong) => (one) => {
		const names = TOLD_AS[one.name] ?? [one.name];
		const foreseen = errorsOf(refused)?.find((each) => names.includes(each.field))?.detail;
		return html`
			<${Field}
				key=${one.name}
				id=${`bench-${one.name}`}
				field=${one}
				value=${values[one.name]}
				error=${foreseen ?? (refused || isPending ? undefined : names.map(wrong).find(Boolean))}
				onChange=${(value) => change(one.name, value)}
			/>
			${one.name === "bench" && html`<${Offered} taken=${on} onPick=${seat} />`}
		`;
	};
	const isElsewhere = refused && !errorsOf(refused).length;
	const fields = (wrong) => html`
		${FIELDS.map(field(wrong))}
		<${Taking} seen=${seen} last=${last} refused=${isElsewhere && refused} isPending=${isPending} />
	`;
	return html`
		<${Asking} title="Ask a bench" action="Ask" send=${send} onClose=${onClose} fields=${fields}>
			<p>
				Judges who took no part vote on what was said, under neutral names. It tells whether they agree more than
				chance explains, and not that they are right.
			</p>
		<//>
	`;
}
