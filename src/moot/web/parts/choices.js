// What can be chosen for a format: who takes part, with which models, how long, and every setting.
import { html, useEffect, useRef } from "../lib/ui.js";
import * as draft from "../lib/composing.js";
import { lengthsOf } from "../lib/formats.js";
import { listed } from "../lib/models.js";
import { settingsOf } from "../lib/schema.js";
import { plural } from "../lib/words.js";
import { Field } from "./fields.js";
import { EachSeat, ModelPicker } from "./picker.js";
import { Cast } from "./seats.js";

const { fields, form, inWords, mistakes, problem } = draft;
const GROUPS = { course: "Course", limits: "Limits", models: "Thinking and sampling" };
const INSIDE = "Exact lengths, limits, thinking and sampling. All at their defaults.";
// Settings that are chosen elsewhere: the seats say who argues what, and the list of models says which is used.
const ELSEWHERE = new Set(["stance_a", "model_debater", "model_judge"]);

export function Choices({ children }) {
	const wrong = problem.value;
	return html`
		<${Cast} />
		<section class="two">
			<div>
				<h2>Model</h2>
				<${ModelPicker} error=${wrong?.code === "no_model" && wrong.detail} />
			</div>
			<${Length} />
			${form.value.isPerSeat && html`<${EachSeat} />`}
			<${Advanced} />
			${children}
		</section>
	`;
}

function Length() {
	const { values, format } = form.value;
	const length = lengthsOf(format, fields.value);
	if (!length) return html`<div></div>`;
	const set = (field) => Number(values[field?.name] ?? field?.initial);
	const now = set(length.field);
	const words = set(fields.value.find((one) => one.name === "words"));
	const isWrong = [length.field.name, "words"].some((name) => mistakes.value.has(`settings.${name}`)) || now < 0;
	const amount = isWrong
		? ["See Advanced"]
		: [now ? plural(now, length.unit) : "No limit", words && `about ${words} words each time`];
	return html`
		<div>
			<h2 id="length">Length</h2>
			<div class="seg" role="group" aria-labelledby="length">
				${Object.entries(length.steps).map(
					([name, n]) => html`
						<button type="button" aria-pressed=${now === n} onClick=${() => draft.setValue(length.field.name, n)}>
							${name}
						</button>
					`,
				)}
			</div>
			<p class="hint lengths">${amount.filter(Boolean).join(", ")}.</p>
		</div>
	`;
}

function Advanced() {
	const { values } = form.value;
	const box = useRef(null);
	const wrong = (field) => mistakes.value.get(`settings.${field.name}`);
	const shown = fields.value.filter((field) => !ELSEWHERE.has(field.name));
	shown.sort((a, b) => (b.name === "premise") - (a.name === "premise"));
	const others = Object.keys(settingsOf(shown, values)).map(draft.labelOf);
	useEffect(() => {
		if (shown.some(wrong)) box.current.open = true;
	}, [problem.value?.at]);
	const input = (field) => html`
		<${Field}
			key=${field.name}
			id=${`setting-${field.name}`}
			field=${{ ...field, about: inWords(field.about) }}
			value=${values[field.name] ?? (field.kind === "list" ? "" : field.initial)}
			error=${wrong(field)}
			onChange=${(value) => draft.setValue(field.name, value)}
		/>
	`;
	return html`
		<div class="advanced">
			<details class="fold" ref=${box}>
				<summary>Advanced</summary>
				${Object.entries(GROUPS).map(
					([group, name]) => html`
						<fieldset>
							<legend>${name}</legend>
							<div class="fields">${shown.filter((field) => field.group === group).map(input)}</div>
						</fieldset>
					`,
				)}
			</details>
			<p class="hint">${others.length ? `Changed: ${listed(others)}.` : INSIDE}</p>
		</div>
	`;
}
