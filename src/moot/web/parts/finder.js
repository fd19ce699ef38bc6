// A search field and the debates that it finds, as links that lead wherever the page wants.
import { html, useEffect, useId, useState } from "../lib/ui.js";
import { get } from "../lib/api.js";
import { ago, Words } from "../lib/words.js";
import { useFound } from "./found.js";

const MOST = 8;

// The newest debates; null until they are known.
function useNewest(limit) {
	const [page, setPage] = useState({ items: null });
	useEffect(() => {
		get(`/api/debates?${new URLSearchParams({ limit })}`).then(setPage, (problem) => setPage({ items: null, problem }));
	}, []);
	return page;
}

const ungrouped = (rows) => [["", rows.slice(0, MOST)]];

// `to(row)` is where the link of a debate leads, or "" if it cannot be chosen; `note(row)` is what else to say of it.
// `groups(rows, asked)` sorts them into [[heading, rows], ...].
export function Finder({ title, to, note = () => "", groups = ungrouped, limit = 20 }) {
	const [query, setQuery] = useState("");
	const id = useId();
	const asked = query.trim();
	const newest = useNewest(limit);
	const found = useFound(asked && { q: asked, limit });
	const { items, problem } = asked ? found : newest;
	const shown = items && groups(items.filter(to), asked).filter(([, rows]) => rows.length);
	return html`
		<section class="finder" aria-labelledby=${id}>
			<h2 id=${id}>${title}</h2>
			<input
				class="input"
				type="search"
				aria-labelledby=${id}
				placeholder="Search all texts"
				maxlength="200"
				value=${query}
				onInput=${(event) => setQuery(event.target.value)}
			/>
			${problem && html`<p class="error" role="alert">${problem.detail}</p>`}
			<div role="status">
				${
					shown?.length === 0 &&
					!found.isAsked &&
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
