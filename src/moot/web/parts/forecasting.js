// What something will take, before anything is spent: asked of the server, and told in one line.
import { html, useEffect, useState } from "../lib/ui.js";
import { post } from "../lib/api.js";
import { listed } from "../lib/models.js";
import { money, plural, roughly } from "../lib/words.js";

const FORECAST_MS = 400;

// What `body` (as JSON; "" for nothing yet) will take, as {seen} or {refused}; {isPending} until that is known of what
// stands here now, with the `last` that was seen.
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

// The price, or the calls where it is not known; then the time, and the rest where there is room.
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
