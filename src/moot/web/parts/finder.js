// A search field and the debates that it finds, as links to wherever they are to lead.
import { html, useEffect, useId, useState } from "../lib/ui.js";
import { get } from "../lib/api.js";
import { ago, Words } from "../lib/words.js";

const WAIT_MS = 200;
const MOST = 8;

// What was found for `query`, newest first; null until it is known.
function useFound(query, limit) {
	const [found, setFound] = useState(null);
	const [problem, setProblem] = useState(null);
	useEffect(() => {
		const abort = new AbortController();
		const look = () =>
			get(`/api/debates?${new URLSearchParams({ limit, ...(query && { q: query }) })}`, { signal: abort.signal }).then(
				(page) => {
					setFound(page.items);
					setProblem(null);
				},
				(refused) => refused.name !== "AbortError" && setProblem(refused),
			);
		const timer = setTimeout(look, found ? WAIT_MS : 0);
		return () => {
			clearTimeout(timer);
			abort.abort();
		};
	}, [query]);
	return { found, problem };
}

const newest = (rows) => [["", rows.slice(0, MOST)]];

// `to(row)` is where a debate leads, "" for one that is no choice; `note(row)` what else is to be said of it.
// `groups(rows, asked)` are [[heading, rows], ...] of them.
export function Finder({ title, to, note = () => "", groups = newest, limit = 20 }) {
	const [query, setQuery] = useState("");
	const id = useId();
	const asked = query.trim();
	const { found, problem } = useFound(asked, limit);
	const shown = found && groups(found.filter(to), asked).filter(([, rows]) => rows.length);
	return html`
		<section class="finder" aria-labelledby=${id}>
			<h2 id=${id}>${title}</h2>
			<input
				class="input"
				type="search"
				aria-labelledby=${id}
				placeholder="Search titles and topics"
				maxlength="200"
				value=${query}
				onInput=${(event) => setQuery(event.target.value)}
			/>
			${problem && html`<p class="error" role="alert">${problem.detail}</p>`}
			<div role="status">
				${
					shown?.length === 0 &&
					html`<p class="hint">${asked ? `No debate mentions “${asked}”.` : "There is no other debate yet."}</p>`
				}
			</div>
			${shown?.map(
				([heading, rows]) => html`
					${heading && html`<h3 key=${`h${heading}`}>${heading}</h3>`}
					<ul class="card" key=${heading}>
						${rows.map(
							(row) => html`
								<li key=${row.id}>
									<a href=${to(row)}>
										<b dir="auto">${row.title || row.topic}</b>
										<span class="hint">
											${[Words(row.format), note(row), row.gist, ago(row.updated_at)].filter(Boolean).join(" · ")}
										</span>
									</a>
								</li>
							`,
						)}
					</ul>
				`,
			)}
		</section>
	`;
}
