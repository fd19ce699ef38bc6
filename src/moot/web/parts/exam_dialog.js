// Examining a judge: which model, what that takes before anything is spent, and where it should stop.
import { html, useState } from "../lib/ui.js";
import { go } from "../lib/route.js";
import { make } from "../lib/wish.js";
import { Asking } from "./again_dialogs.js";
import { Field } from "./fields.js";
import { Taking, useForecast } from "./forecasting.js";
import { LIMIT, Offered, limited } from "./offered.js";

const PATH = "/api/judges/exams";
const FIELDS = [
	{
		name: "model",
		label: "Judge",
		kind: "text",
		required: true,
		about: "A model, as provider:name.",
		more: { autofocus: true, spellcheck: false, autocomplete: "off", maxlength: 200 },
	},
	LIMIT,
];

// A mistake without a field, or in a field of a debate's cast, is about the model: nobody else takes part.
const errorsOf = (problem) =>
	(problem.errors.length || problem.code !== "no_model" ? problem.errors : [{ detail: problem.detail }]).map((one) => ({
		...one,
		field: one.field === LIMIT.name ? one.field : "model",
	}));

export function ExamDialog({ model = "", onClose }) {
	const [values, setValues] = useState({ model, max_cost_usd: "" });
	const body = { model: values.model.trim(), ...limited(values.max_cost_usd) };
	const now = JSON.stringify(body);
	const [sent, setSent] = useState("");
	const { seen, last, refused, isPending } = useForecast(`${PATH}/forecasts`, body.model && now);
	const change = (name, value) => setValues((all) => ({ ...all, [name]: value }));
	const send = async () => {
		setSent(now);
		const made = await make("exam", PATH, body).catch((problem) => {
			problem.errors = errorsOf(problem);
			throw problem;
		});
		onClose();
		go(`/debates/${made.id}`);
	};
	const foreseen = refused ? errorsOf(refused) : [];
	const field = (wrong) => (one) => {
		const told = wrong(one.name); // about what was sent, which may have been changed since
		const error = foreseen.find((each) => each.field === one.name)?.detail ?? (sent === now ? told : undefined);
		return html`
			<${Field}
				key=${one.name}
				id=${`exam-${one.name}`}
				field=${one}
				value=${values[one.name]}
				error=${error}
				onChange=${(value) => change(one.name, value)}
			/>
			${one.name === "model" && html`<${Offered} taken=${[body.model]} onPick=${(name) => change("model", name)} />`}
		`;
	};
	const fields = (wrong) => html`
		${FIELDS.map(field(wrong))}
		<${Taking}
			seen=${seen}
			last=${body.model ? last : undefined}
			refused=${!foreseen.length && refused}
			isPending=${body.model && isPending}
		/>
	`;
	return html`
		<${Asking} title="Examine a judge" action="Examine" send=${send} onClose=${onClose} fields=${fields}>
			<p>
				It is asked about short debates in which the answer is known, each in both orders of the names. You see
				whether it leans to a name, goes by length, and finds what is wrong.
			</p>
		<//>
	`;
}
