// What a search in the texts of all debates has found: asked for when somebody stops typing.
import { html, useEffect, useState } from "../lib/ui.js";
import { get } from "../lib/api.js";
import { words } from "../lib/words.js";

const TYPING_MS = 200;
const YOU = "user";

// `{ items, next, problem, of, isAsked }`: what was found last, and of which request.
export function useFound(wanted) {
	const [found, setFound] = useState({});
	const address = wanted && `/api/search?${new URLSearchParams(wanted)}`;
	useEffect(() => {
		if (!address) {
			setFound({});
			return undefined;
		}
		const leaving = new AbortController();
		const timer = setTimeout(async () => {
			try {
				setFound({ ...(await get(address, { signal: leaving.signal })), of: address });
			} catch (problem) {
				if (problem.name !== "AbortError") setFound({ problem, of: address });
			}
		}, TYPING_MS);
		return () => {
			clearTimeout(timer);
			leaving.abort();
		};
	}, [address]);
	return { ...found, isAsked: Boolean(address) && found.of !== address };
}

const marked = (pieces) => pieces.map(({ text, is_match: isMatch }) => (isMatch ? html`<mark>${text}</mark>` : text));

// The name of a debate; what was found in it is marked, if the snippet has the whole name.
export function Marked({ name, hits }) {
	const hit = hits?.find(({ turn, snippet }) => turn === null && snippet.map(({ text }) => text).join("") === name);
	return hit ? marked(hit.snippet) : name;
}

// The other texts in which something was found, each linked to its statement.
export function Hits({ row }) {
	const shown = row.hits.filter(({ kind }) => kind !== "topic" && kind !== "title");
	const named = (id) => (id === YOU ? "You" : row.cast?.find((one) => one.id === id)?.name || id);
	if (!shown.length) return null;
	return html`
		<ul class="hits">
			${shown.map(
				({ turn, participant, kind, snippet }) => html`
					<li>
						<a href=${`/debates/${row.id}#${turn ? `turn-${turn}` : "outcome"}`} dir="auto">
							<b>${turn ? named(participant) : "Outcome"}</b>
							${turn && kind !== "speak" && html` <small>${words(kind)}</small>`}
							${" "}
							<span>${marked(snippet)}</span>
						</a>
					</li>
				`,
			)}
		</ul>
	`;
}
