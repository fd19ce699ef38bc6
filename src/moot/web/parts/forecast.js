// The foot of the box that a debate begins in: what it will take, what is wrong, and what to press.
import { html, useEffect, useState } from "../lib/ui.js";
import { post } from "../lib/api.js";
import * as draft from "../lib/composing.js";
import { listed } from "../lib/models.js";
import { money, plural, roughly } from "../lib/words.js";
import { ToyNotice } from "./toy.js";

const { chosen, form, inWords, problem } = draft;
const FORECAST_MS = 400;

// What it will take, as {seen} or {refused}; {isPending} until that is known of what stands here now, with the `last`
// that was seen.
function useForecast() {
	const [found, setFound] = useState({});
	const body = chosen.value ? JSON.stringify(draft.foreseen()) : "";
	useEffect(() => {
		const abort = new AbortController();
		const look = () =>
			post("/api/forecasts", JSON.parse(body), { signal: abort.signal }).then(
				(seen) => setFound({ of: body, seen }),
				(refused) => refused.name !== "AbortError" && setFound({ of: body, refused }),
			);
		const timer = body && setTimeout(look, found.of ? FORECAST_MS : 0);
		return () => {
			clearTimeout(timer);
			abort.abort();
		};
	}, [body]);
	return found.of === body ? found : { isPending: true, last: found.seen };
}

function priced(cost) {
	if (!cost?.high) return cost ? "Free" : "";
	const both = [money(cost.low), money(cost.high)];
	return both[0] === both[1] ? both[0] : both.join(" to ");
}

// The price, or the calls where it is not known; then the time, and the rest where there is room.
function told(seen) {
	const calls = `${plural(seen.calls, "call")} at most`;
	const price = priced(seen.cost_usd);
	const more = [price && calls, seen.unpriced.length && `price of ${listed(seen.unpriced)} unknown`].filter(Boolean);
	return html`
		<b>${price || calls}</b>
		${seen.runtime_s != null && ` · ${roughly(seen.runtime_s)}`}
		<span class="wide">${more.map((one) => ` · ${one}`)}</span>
	`;
}

export function Foot({ isToyTold, children }) {
	const { seen, last, refused, isPending } = useForecast();
	const known = seen ?? last; // notices that came and went with every change would move what is being pressed
	const wrong = problem.value;
	const cap = draft.panel.value ? draft.panel.value.limits.max_cost_usd : form.value.values.max_cost_usd;
	const isSure = wrong?.isStart && wrong.status >= 400 && wrong.status < 500; // else the answer may be lost
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
