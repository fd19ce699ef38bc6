// The foot of the box that a debate begins in: what it will take, what is wrong, and what to press.
import { html } from "../lib/ui.js";
import * as draft from "../lib/composing.js";
import { told, useForecast } from "./forecasting.js";
import { ToyNotice } from "./toy.js";

const { chosen, form, inWords, problem } = draft;

export function Foot({ isToyTold, children }) {
	const { seen, last, refused, isPending } = useForecast(
		"/api/forecasts",
		chosen.value ? JSON.stringify(draft.foreseen()) : "",
	);
	const known = seen ?? last; // notices that came and went with every change would move what is being pressed
	const wrong = problem.value;
	const cap = draft.panel.value ? draft.panel.value.limits.max_cost_usd : form.value.values.max_cost_usd;
	const isSure = wrong?.isStart && wrong.status >= 400 && wrong.status < 500; // else only the answer may be lost
	return html`
		${known?.warnings.map((one) => html`<p class="notice" role="status" key=${one}>${inWords(one)}</p>`)}
		${known && !isToyTold && html`<${ToyNotice} models=${known.models} />`}
		<div role="status">
			${wrong && html`<p class="error inset">${isSure ? "Not started. " : ""}${draft.explained(wrong)}</p>`}
		</div>
		<footer>
			<p class="forecast" role="status" aria-busy=${Boolean(isPending)}>
				${isPending && html`<span class="hint">Working out what it takes…</span>`}
				${seen && told(seen)} ${refused && !wrong && draft.explained(refused, 1)}
				${seen && cap && html`<br /><span class="hint">Stops by itself at $${Number(cap)}</span>`}
			</p>
			<span class="spring"></span>
			${children}
		</footer>
	`;
}
