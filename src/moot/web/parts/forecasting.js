// What something will take, before anything is spent: asked of the server, and told in one line.
import { html, useEffect, useState } from "../lib/ui.js";
import { post } from "../lib/api.js";
import { listed } from "../lib/models.js";
import { money, plural, roughly } from "../lib/words.js";

const FORECAST_MS = 400;

// What `body` (JSON, or "" for nothing yet) will take, as {seen} or {refused}. Until that is known of this very body,
// {isPending}, with the `last` forecast that was seen.
export function useForecast(path, body) {
	const [found, setFound] = useState({});
	useEffect(() => {
		const abort = new AbortController();
		const look = () =>
			post(path, JSON.parse(body), { signal: abort.signal }).then(
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

// What dialogs call the settings that the server warns of.
const CALLED = {
	max_cost_usd: "“Stop when it has cost”",
	max_total_output_tokens: "the limit of tokens",
};
const worded = (text) => text.replace(/\b[a-z]+(?:_[a-z]+)+\b/g, (name) => CALLED[name] ?? name);

// The lines of a dialog that tell the forecast; `refused` only if no field says why. The last warnings stay meanwhile:
// coming and going with every change, they would move what is being pressed.
export const Taking = ({ seen, last, refused, isPending }) => html`
	${(seen ?? last)?.warnings.map((one) => html`<p class="notice" role="status" key=${one}>${worded(one)}</p>`)}
	<p class="forecast" role="status" aria-busy=${Boolean(isPending)}>
		${isPending && html`<span class="hint">Working out what it takes…</span>`}
		${seen && told(seen)} ${refused?.detail}
	</p>
`;

// The price, or the calls if no price is known; then the time, and the rest if there is room.
export function told(seen) {
	const calls = `${plural(seen.calls, "call")} at most`;
	const price = priced(seen.cost_usd);
	const more = [price && calls, seen.unpriced.length && `price of ${listed(seen.unpriced)} unknown`].filter(Boolean);
	return html`
		<b>${price || calls}</b>
		${seen.runtime_s != null && ` · ${roughly(seen.runtime_s)}`}
		<span class="wide">${more.map((one) => ` · ${one}`)}</span>
	`;
}
