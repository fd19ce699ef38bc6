// Models that can be used now, each a press away; and the field for a limit of cost.
import { html, useEffect, useState } from "../lib/ui.js";
import { get } from "../lib/api.js";
import { full, isHere, isToy } from "../lib/models.js";
import { Do } from "./fields.js";

const MOST_OFFERED = 9;

function useReady() {
	const [ready, setReady] = useState([]);
	useEffect(() => {
		const names = ({ items }) =>
			items
				.filter(isHere)
				.flatMap((row) => [row.default_model, ...row.models].filter(Boolean).map((n) => full(row, n)));
		get("/api/models").then(
			(page) => setReady([...new Set(names(page))].filter((one) => !isToy(one))),
			() => {},
		);
	}, []);
	return ready;
}

// The models that are ready, without those that are `taken`.
export function Offered({ taken, onPick }) {
	const left = useReady().filter((one) => !taken.includes(one));
	if (!left.length) return null;
	return html`
		<div class="actions offered" role="group" aria-label="Models that are ready">
			${left
				.slice(0, MOST_OFFERED)
				.map((one) => html`<${Do} key=${one} icon="plus" onClick=${() => onPick(one)}>${one}<//>`)}
		</div>
	`;
}

export const LIMIT = {
	name: "max_cost_usd",
	label: "Stop when it has cost, in $",
	kind: "text",
	more: { inputmode: "decimal" },
};

// What is not a number is sent as it is: the server says what is wrong with it.
export function limited(text) {
	const limit = text.trim().replace(/^\$/, "").replace(",", ".");
	return limit && { max_cost_usd: Number.isFinite(Number(limit)) ? Number(limit) : limit };
}
