// The start page: one question, what goes on now, what was before. What is deleted can be had back for a while.
import { html, useEffect, useRef, useState } from "../lib/ui.js";
import { ask, remembering } from "../lib/api.js";
import { go, hash } from "../lib/route.js";
import { say } from "../lib/toasts.js";
import { STATUSES } from "../lib/words.js";
import { Ask } from "../parts/ask.js";
import { Gallery } from "../parts/gallery.js";
import { Icon } from "../parts/icons.js";
import { isMine, Row } from "../parts/row.js";
import { Connect } from "../parts/toy.js";

const EVERY_MS = 2000;
const UNDO_MS = 7000;
const PAGE = 50;
const MOST = 200;
const TABS = { All: "", Duels: "duel", Councils: "council", Rooms: "room", Other: "other" };
const NAMED = new Set(Object.values(TABS));
const EMPTY = { query: "", status: "", tab: "" };
const leaving = new Map(); // ids that will be deleted when their time is up

addEventListener("pagehide", () => {
	for (const id of leaving.keys()) ask("DELETE", `/api/debates/${id}`, undefined, { keepalive: true }).catch(() => {});
});

// A room that waits is not work for anybody: it is there when somebody has something to say.
const ORDER = { running: 1, waiting: 2, stopping: 3 };
const now = (row) =>
	isMine(row) ? 0 : row.format === "room" && row.status === "waiting" ? undefined : ORDER[row.status];

// The debates that are wanted, read again every two seconds.
function useRows(wanted) {
	const [found, setFound] = useState({ items: null, next: null, problem: null });
	const address = `/api/debates?${new URLSearchParams(wanted)}`;
	useEffect(() => {
		const read = remembering();
		let timer = 0;
		let isGone = false;
		const look = async () => {
			clearTimeout(timer);
			if (!document.hidden) {
				try {
					const page = await read(address);
					if (isGone) return;
					setFound({ items: page.items, next: page.next, problem: null });
				} catch (refused) {
					if (!isGone) setFound((last) => ({ ...last, problem: refused }));
				}
			}
			if (!isGone) timer = setTimeout(look, EVERY_MS);
		};
		timer = setTimeout(look, found.items ? 150 : 0);
		document.addEventListener("visibilitychange", look);
		return () => {
			isGone = true;
			clearTimeout(timer);
			document.removeEventListener("visibilitychange", look);
		};
	}, [address]);
	return found;
}

function useRemoving() {
	const [, redraw] = useState(0);
	return (row) => {
		const end = () => {
			leaving.delete(row.id);
			ask("DELETE", `/api/debates/${row.id}`).catch((p) => {
				if (p.status !== 404) say(p.detail, { kind: "bad" });
			});
		};
		const keep = () => {
			leaving.delete(row.id);
			redraw((n) => n + 1);
		};
		leaving.set(row.id, end);
		redraw((n) => n + 1);
		say(`Deleted “${cut(row.title || row.topic)}”`, { ms: UNDO_MS, onEnd: end, action: { name: "Undo", run: keep } });
	};
}
const cut = (text) => (text.length > 48 ? `${text.slice(0, 45).replace(/\s+\S*$/, "")}…` : text);

export function Home() {
	const [filter, setFilter] = useState(EMPTY);
	const [size, setSize] = useState(PAGE);
	const search = useRef(null);
	const hadAny = useRef(false); // the filters stay while the list is read anew
	const { query, status, tab } = filter;
	const newest = useRows({ limit: PAGE });
	const listed = useRows({
		limit: size,
		...(query.trim() && { q: query.trim() }),
		...(status && { status }),
		...(tab && tab !== "other" && { format: tab }),
	});
	const remove = useRemoving();
	const there = (row) => !leaving.has(row.id);
	const active = (newest.items ?? [])
		.filter((row) => there(row) && now(row) !== undefined)
		.toSorted((a, b) => now(a) - now(b));
	const isSearch = Boolean(query.trim() || status);
	const shown = listed.items?.filter(
		(row) => there(row) && (isSearch || now(row) === undefined) && (tab !== "other" || !NAMED.has(row.format)),
	);
	const isFiltered = isSearch || tab;
	hadAny.current ||= Boolean(newest.items?.some(there));
	const isFirst = newest.items && !newest.items.some(there) && !isFiltered;
	const mine = active.filter(isMine).length;
	const problem = newest.problem ?? listed.problem;
	const set = (changes) => setFilter((last) => ({ ...last, ...changes }));

	useEffect(() => {
		document.title = `${mine ? `(${mine}) ` : ""}Debates · Moot`;
		return () => {
			document.title = "Moot";
		};
	}, [mine]);
	useEffect(() => {
		const onKey = (event) => {
			if (/^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName) || event.ctrlKey || event.metaKey) return;
			if (event.key === "/") {
				event.preventDefault();
				search.current?.focus();
			}
			if (event.key === "n") go("/new");
		};
		addEventListener("keydown", onKey);
		return () => removeEventListener("keydown", onKey);
	}, []);
	const wantsExamples = hash.value === "#examples";
	useEffect(() => {
		if (hash.value === "#find") search.current?.focus();
		if (wantsExamples) document.getElementById("examples")?.scrollIntoView();
	}, [hash.value, hadAny.current]);

	const rows = (all) => html`
		<ul class="card rows">
			${all.map((row) => html`<${Row} key=${row.id} row=${row} onRemove=${remove} />`)}
		</ul>
	`;
	return html`
		${
			isFirst
				? html`
					<section class="hero">
						<h1>What shall we argue about?</h1>
						<p>
							Moot lets language models, and you, argue a question before a judge, work it out in a council or
							talk it over in a room, and keeps every word.
						</p>
					</section>
				`
				: html`<h1 class="unseen">Debates</h1>`
		}
		<${Ask}
			key="ask"
			isSlim
			class=${isFirst ? "home-box" : ""}
			placeholder=${isFirst ? "Should we rent out the flat while we are abroad?" : undefined}
		/>
		<${Connect} key="connect" isOpen=${Boolean(isFirst)} />
		${
			problem &&
			html`
				<p class="notice" role="status">
					<${Icon} name="clock" />
					${problem.status ? problem.detail : "The server cannot be reached; trying again."}
				</p>
			`
		}
		${
			!isSearch &&
			active.length > 0 &&
			html`
				<section aria-labelledby="now">
					<div class="section-head"><h2 id="now">Now</h2></div>
					${rows(active)}
				</section>
			`
		}
		${newest.items === null && !problem && html`<div class="bone block later"></div><div class="bone block"></div>`}
		${
			hadAny.current &&
			!isFirst &&
			html`
				<section aria-labelledby="earlier">
					<div class="section-head"><h2 id="earlier">${isSearch ? "Found" : "Earlier"}</h2></div>
					<${Filters} ...${{ filter, set, search }} />
					${
						shown === undefined
							? html`<div class="bone block"></div>`
							: shown.length
								? rows(shown)
								: html`<${None} isFiltered=${isFiltered} query=${query} onAll=${() => setFilter(EMPTY)} />`
					}
					${
						listed.next &&
						html`
							<button
								class="btn older"
								onClick=${() => setSize(Math.min(MOST, size + PAGE))}
								disabled=${size >= MOST}
							>
								${size >= MOST ? "Search to find older ones" : "Show more"}
							</button>
						`
					}
				</section>
			`
		}
		${(isFirst || wantsExamples) && html`<${Gallery} />`}
	`;
}

function Filters({ filter, set, search }) {
	return html`
		<div class="filters" role="search">
			<div class="seg" role="group" aria-label="Format">
				${Object.entries(TABS).map(
					([name, id]) => html`
						<button aria-pressed=${filter.tab === id} onClick=${() => set({ tab: id })}>${name}</button>
					`,
				)}
			</div>
			<span class="spring"></span>
			<label class="search">
				<${Icon} name="search" small />
				<span class="unseen">Search titles and topics</span>
				<input
					ref=${search}
					type="search"
					placeholder="Search titles and topics"
					value=${filter.query}
					onInput=${(event) => set({ query: event.target.value })}
				/>
			</label>
			<label class="narrowed">
				<span class="unseen">Status</span>
				<select value=${filter.status} onChange=${(event) => set({ status: event.target.value })}>
					<option value="">Any status</option>
					${Object.entries(STATUSES).map(([id, { label }]) => html`<option value=${id}>${label}</option>`)}
				</select>
			</label>
			<a class="btn quiet small" href="/#examples">Examples</a>
		</div>
	`;
}

function None({ isFiltered, query, onAll }) {
	if (!isFiltered) return html`<p class="hint">Nothing has come to its end yet.</p>`;
	return html`
		<div class="card empty">
			<h3>${query.trim() ? `No debate mentions “${query.trim()}”.` : "No debate fits."}</h3>
			<p class="hint">Titles and topics were searched.</p>
			<button class="btn small" onClick=${onAll}>Show all</button>
		</div>
	`;
}
