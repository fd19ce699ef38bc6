// The start page: one question, the debates that go on now, and earlier ones. Deleting can be undone for a while.
import { html, useEffect, useLayoutEffect, useRef, useState } from "../lib/ui.js";
import { ask, remembering } from "../lib/api.js";
import { fetched } from "../lib/fetched.js";
import { isOpenEnded } from "../lib/formats.js";
import { asked, go, hash } from "../lib/route.js";
import { say } from "../lib/toasts.js";
import { isSample, plural, STATUSES } from "../lib/words.js";
import { Ask } from "../parts/ask.js";
import { stepAside } from "../parts/bits.js";
import { useFound } from "../parts/found.js";
import { Icon } from "../parts/icons.js";
import { isMine, Row } from "../parts/row.js";
import { useKeys } from "../parts/shortcuts.js";
import { Connect } from "../parts/toy.js";

const Gallery = fetched(() => import("../parts/gallery.js").then((module) => module.Gallery));
const EVERY_MS = 2000;
const UNDO_MS = 7000;
const PAGE = 50;
const MOST = 200;
const TABS = { All: "", Duels: "duel", Councils: "council", Rooms: "room", Other: "other" };
const EMPTY = { query: "", status: "", tab: "" };
const inAddress = () => new URLSearchParams(asked.value).get("q") ?? "";
const leaving = new Map(); // ids that will be deleted when their time is up
const isThere = (row) => !leaving.has(row.id);

addEventListener("pagehide", () => {
	for (const id of leaving.keys()) ask("DELETE", `/api/debates/${id}`, undefined, { keepalive: true }).catch(() => {});
});

// A room that waits is not work for anybody: it waits until somebody has something to say.
const ORDER = { running: 1, waiting: 2, stopping: 3 };
const now = (row) =>
	isMine(row) ? 0 : isOpenEnded(row.format) && row.status === "waiting" ? undefined : ORDER[row.status];

// The debates that are wanted, read again every two seconds; nothing is read where nothing is wanted.
function useRows(wanted) {
	const [found, setFound] = useState({});
	const address = wanted && `/api/debates?${new URLSearchParams(wanted)}`;
	useEffect(() => {
		if (!address) return undefined;
		const read = remembering();
		let timer = 0;
		let isGone = false;
		const look = async () => {
			clearTimeout(timer);
			if (!document.hidden) {
				try {
					const page = await read(address);
					if (!isGone) setFound(page);
				} catch (problem) {
					if (!isGone) setFound((last) => ({ ...last, problem }));
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

const cut = (text) => (text.length > 48 ? `${text.slice(0, 45).replace(/\s+\S*$/, "")}…` : text);

function remove(row, redraw) {
	const goOn = stepAside(document.activeElement, "summary", "#ask");
	const end = () => {
		leaving.delete(row.id);
		ask("DELETE", `/api/debates/${row.id}`).catch((p) => {
			if (p.status !== 404) say(p.detail, { kind: "bad" });
		});
	};
	const keep = () => {
		leaving.delete(row.id);
		redraw();
	};
	leaving.set(row.id, end);
	redraw();
	goOn();
	say(`Deleted “${cut(row.title || row.topic)}”`, { ms: UNDO_MS, onEnd: end, action: { name: "Undo", run: keep } });
}

export function Home() {
	const [filter, setFilter] = useState(() => ({ ...EMPTY, query: inAddress() }));
	const [size, setSize] = useState(PAGE);
	const [, setDrawn] = useState(0);
	const [isFinding, setFinding] = useState(false); // true from the moment `/` or the link asks for it
	const search = useRef(null);
	const isAwaited = useRef(false);
	const status = filter.status;
	const query = filter.query.trim();
	const isSearch = Boolean(query || status);
	const isFiltered = Boolean(isSearch || filter.tab);
	const newest = useRows({ limit: PAGE });
	const wanted = {
		limit: size,
		...(status && { status }),
		...(filter.tab && filter.tab !== "other" && { format: filter.tab }),
	};
	const others = useRows(!query && (isFiltered || size > PAGE) && wanted);
	const found = useFound(query && { q: query, ...wanted });
	const listed = query ? found : isFiltered || size > PAGE ? others : newest;
	const all = newest.items?.filter(isThere);
	const active = all?.filter((row) => now(row) !== undefined).toSorted((a, b) => now(a) - now(b)) ?? [];
	const isOther = (row) => filter.tab !== "other" || !Object.values(TABS).includes(row.format);
	const shown = listed.items?.filter((row) => isThere(row) && isOther(row) && (isSearch || now(row) === undefined));
	// Debates that were only prepared, and samples that were looked at, do not count: nobody has started anything yet.
	const prepared = all?.filter((row) => row.status === "created") ?? [];
	const samples = all?.filter((row) => isSample({ origin: row.origin, forkedFrom: row.forked_from })) ?? [];
	const isFirst = all?.length === prepared.length + samples.length && !newest.next && !isFiltered && !isFinding;
	const mine = active.filter(isMine).length;
	const problem = newest.problem ?? others.problem ?? found.problem;

	useEffect(() => {
		document.title = `${mine ? `(${mine}) ` : ""}Debates · Moot`;
		return () => {
			document.title = "Moot";
		};
	}, [mine]);
	const find = () => {
		isAwaited.current = true;
		setFinding(true);
		search.current?.focus();
	};
	// The search field comes with the list: a key that is pressed before is meant for the field.
	const start = () => (isAwaited.current && !search.current) || go("/new");
	const keys = useKeys({ "/": ["Search debates", find], n: ["Start a new debate", start] });
	// What is searched for stands in the address, so that Back leads to what was found.
	useEffect(() => {
		if (query !== inAddress()) go(query ? `/?${new URLSearchParams({ q: query })}` : "/", { replace: true });
	}, [query]);
	useEffect(() => {
		if (query !== inAddress()) setFilter({ ...filter, query: inAddress() });
	}, [asked.value]);
	useEffect(() => {
		if (hash.value !== "#find") return;
		setFinding(true);
		search.current?.focus();
		go(`/${asked.value}`, { replace: true }); // so that the same link works again
	}, [hash.value]);
	// Before it is painted: what is typed right after the key must not be lost.
	useLayoutEffect(() => {
		if (isFinding) search.current?.focus();
	}, [isFinding, Boolean(all)]);

	const rows = (some) => html`
		<ul class="card rows">
			${some.map(
				(row) => html`<${Row} key=${row.id} row=${row} onRemove=${() => remove(row, () => setDrawn((n) => n + 1))} />`,
			)}
		</ul>
	`;
	const more = html`
		<button class="btn older" onClick=${() => setSize(Math.min(MOST, size + PAGE))} disabled=${size >= MOST}>
			${size >= MOST ? "Search to find older ones" : "Show more"}
		</button>
	`;
	return html`
		${isFirst ? html`<${Hero} />` : html`<h1 class="unseen">Debates</h1>`}
		<${Ask}
			key="ask"
			isSlim
			class=${isFirst ? "home-box" : ""}
			placeholder=${isFirst ? "Should we rent out the flat while we are abroad?" : undefined}
		/>
		<${Connect} key="connect" isFirst=${isFirst} />
		${
			problem &&
			html`
				<p class="notice" role="status">
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
		${!all && !problem && html`<div class="bone block later"></div><div class="bone block"></div>`}
		${
			all &&
			!isFirst &&
			html`
				<section aria-labelledby="earlier">
					<div class="section-head">
						<h2 id="earlier">${isSearch ? "Found" : "Earlier"}</h2>
						<span class="spring"></span>
						<a class="btn quiet small" href="/#examples">Examples</a>
					</div>
					<${Filters} filter=${filter} set=${(one) => setFilter({ ...filter, ...one })} search=${search} />
					<p class="hint told" role="status">${query && told(query, found, shown)}</p>
					${!shown && !listed.problem && html`<div class="bone block"></div>`}
					${shown?.length > 0 && rows(shown)}
					${
						shown?.length === 0 &&
						!found.isAsked &&
						html`<${None} ...${{ isFiltered, query }} onAll=${() => setFilter(EMPTY)} />`
					}
					${listed.next && more}
				</section>
			`
		}
		${
			isFirst &&
			prepared.length > 0 &&
			html`
				<section aria-labelledby="prepared">
					<div class="section-head">
						<h2 id="prepared">Prepared</h2>
						<p class="hint">Open it and press Start.</p>
					</div>
					${rows(prepared)}
				</section>
			`
		}
		${(isFirst || hash.value === "#examples") && html`<${Gallery} isWanted=${hash.value === "#examples"} />`}
		${keys}
	`;
}

function told(query, { isAsked, next, problem }, shown) {
	if (isAsked) return `Searching for “${query}”…`;
	if (problem || !shown) return "";
	if (!shown.length) return html`<span class="unseen">Nothing found</span>`; // the card below says it in full
	return `${next ? "The newest " : ""}${plural(shown.length, "debate")} with “${query}”`;
}

const Hero = () => html`
	<section class="hero">
		<h1>What shall we argue about?</h1>
		<p>
			Moot lets language models, and you, argue a question before a judge, work it out in a council or talk it
			over in a room, and keeps every word.
		</p>
	</section>
`;

const Filters = ({ filter, set, search }) => html`
	<div class="filters" role="search">
		<div class="seg" role="group" aria-label="Format">
			${Object.entries(TABS).map(
				([name, tab]) =>
					html`<button aria-pressed=${filter.tab === tab} onClick=${() => set({ tab })}>${name}</button>`,
			)}
		</div>
		<span class="spring"></span>
		<label class="search">
			<${Icon} name="search" small />
			<span class="unseen">Search everything that was said</span>
			<input
				ref=${search}
				type="search"
				placeholder="Search all texts"
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
	</div>
`;

function None({ isFiltered, query, onAll }) {
	if (!isFiltered) return html`<p class="hint">Nothing has come to its end yet.</p>`;
	return html`
		<div class="card empty">
			<h3>${query ? `Nothing was found for “${query}”.` : "No debate fits."}</h3>
			${query && html`<p class="hint">Every word has to occur in a debate, or to begin one that does.</p>`}
			<button class="btn small" onClick=${onAll}>Show all</button>
		</div>
	`;
}
