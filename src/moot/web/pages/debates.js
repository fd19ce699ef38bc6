// All debates, live. What is deleted is gone after a few seconds, in which it can be had back.
import { html, useEffect, useRef, useState } from "../lib/ui.js";
import { ask, get, once, post, remembering } from "../lib/api.js";
import { go } from "../lib/route.js";
import { say } from "../lib/toasts.js";
import { ago, money, plural, STATUSES, Words, words, written } from "../lib/words.js";
import { StatusPill } from "../parts/bits.js";
import { Icon } from "../parts/icons.js";

const EVERY_MS = 2000;
const UNDO_MS = 7000;
const PAGE = 50;
const leaving = new Map(); // ids that will be deleted when their time is up

addEventListener("pagehide", () => {
	for (const id of leaving.keys()) ask("DELETE", `/api/debates/${id}`, undefined, { keepalive: true }).catch(() => {});
});

export function Debates() {
	const [query, setQuery] = useState("");
	const [status, setStatus] = useState("");
	const [format, setFormat] = useState("");
	const [rows, setRows] = useState(null);
	const [more, setMore] = useState(null);
	const [formats, setFormats] = useState([]);
	const [problem, setProblem] = useState(null);
	const [size, setSize] = useState(PAGE);
	const [, redraw] = useState(0);
	const search = useRef(null);
	const hadAny = useRef(false); // the filters stay while the list is read anew
	useEffect(() => {
		once("/api/formats").then(
			(page) => setFormats(page.items),
			() => {},
		);
	}, []);
	useEffect(() => {
		const read = remembering();
		const wanted = { limit: size, ...(query && { q: query }), ...(status && { status }), ...(format && { format }) };
		let timer = 0;
		let isGone = false;
		const look = async () => {
			clearTimeout(timer);
			if (!document.hidden) {
				try {
					const page = await read(`/api/debates?${new URLSearchParams(wanted)}`);
					if (isGone) return;
					setRows(page.items);
					setMore(page.next);
					setProblem(null);
				} catch (refused) {
					if (!isGone) setProblem(refused);
				}
			}
			if (!isGone) timer = setTimeout(look, EVERY_MS);
		};
		timer = setTimeout(look, rows ? 150 : 0);
		document.addEventListener("visibilitychange", look);
		return () => {
			isGone = true;
			clearTimeout(timer);
			document.removeEventListener("visibilitychange", look);
		};
	}, [query, status, format, size]);
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

	const remove = (row) => {
		const end = () => {
			leaving.delete(row.id);
			ask("DELETE", `/api/debates/${row.id}`).catch((p) => {
				if (p.status !== 404) say(p.detail, { kind: "bad" });
			});
		};
		leaving.set(row.id, end);
		redraw((n) => n + 1);
		say("Debate deleted", {
			ms: UNDO_MS,
			onEnd: end,
			action: {
				name: "Undo",
				run: () => {
					leaving.delete(row.id);
					redraw((n) => n + 1);
				},
			},
		});
	};

	const shown = rows?.filter((row) => !leaving.has(row.id));
	const isFiltered = query || status || format;
	hadAny.current ||= shown?.length > 0;
	return html`
		<div class="list-page">
			<div class="page-head">
				<h1>Debates</h1>
				${
					problem &&
					html`
						<span class="connection bad" role="status">
							<i class="dot"></i>
							${problem.status ? problem.detail : "The server cannot be reached; trying again"}
						</span>
					`
				}
			</div>
			${
				(isFiltered || hadAny.current) &&
				html`
					<div class="filters" role="search">
						<label class="search">
							<${Icon} name="search" />
							<span class="unseen">Search titles and topics</span>
							<input
								ref=${search}
								type="search"
								placeholder="Search titles and topics"
								value=${query}
								onInput=${(event) => setQuery(event.target.value)}
							/>
						</label>
						<label>
							<span class="unseen">Status</span>
							<select value=${status} onChange=${(event) => setStatus(event.target.value)}>
								<option value="">Any status</option>
								${Object.entries(STATUSES).map(([id, { label }]) => html`<option value=${id}>${label}</option>`)}
							</select>
						</label>
						<label>
							<span class="unseen">Format</span>
							<select value=${format} onChange=${(event) => setFormat(event.target.value)}>
								<option value="">Any format</option>
								${formats.map((one) => html`<option value=${one.id}>${Words(one.id)}</option>`)}
							</select>
						</label>
					</div>
				`
			}
			${
				shown === undefined
					? html`
						<div class="bone"></div>
						<div class="bone"></div>
						<div class="bone"></div>
					`
					: shown.length
						? html`
							<ul class="debates">
								${shown.map((row) => html`<${Row} key=${row.id} row=${row} onRemove=${remove} />`)}
							</ul>
							${
								more &&
								html`
									<button
										class="button more"
										onClick=${() => setSize(Math.min(200, size + PAGE))}
										disabled=${size >= 200}
									>
										${size >= 200 ? "Search to find older ones" : "Show more"}
									</button>
								`
							}
						`
						: isFiltered
							? html`
								<p class="empty">
									No debate fits.${" "}
									<button
										class="linkish"
										onClick=${() => {
											setQuery("");
											setStatus("");
											setFormat("");
											setRows(null);
										}}
									>
										Show all
									</button>
								</p>
							`
							: html`<${First} />`
			}
		</div>
	`;
}

function Row({ row, onRemove }) {
	const isActive = row.status === "running" || row.status === "stopping";
	const where =
		row.cursor?.stage && !["completed", "canceled"].includes(row.status)
			? `${words(row.cursor.stage)}${row.cursor.next_round > 1 ? `, round ${row.cursor.next_round}` : ""}`
			: "";
	return html`
		<li class="debate-row">
			<a href=${`/debates/${row.id}`}>
				<span class="debate-topic">${row.title || row.topic}</span>
				${row.title && html`<span class="debate-about">${row.topic}</span>`}
				<span class="debate-facts">
					<${StatusPill} status=${row.status} />
					<span class="tag">${Words(row.format)}</span>
					${where && html`<span>${where}</span>`}
					${
						row.calls > 0 &&
						html`
							<span>${row.statements ? plural(row.statements, "statement") : plural(row.turns, "turn")}</span>
							<span>${written(row)}</span>
							<span>${money(row.cost_usd)}</span>
						`
					}
					<span class="when">${ago(row.updated_at)}</span>
				</span>
			</a>
			<button
				class="button quiet icon-only"
				disabled=${isActive}
				title=${isActive ? "Stop it first" : "Delete"}
				aria-label=${`Delete ${row.title || row.topic}`}
				onClick=${() => onRemove(row)}
			>
				<${Icon} name="trash" />
			</button>
		</li>
	`;
}

// Nothing there yet: one click chooses, the second starts.
function First() {
	const [files, setFiles] = useState([]);
	const [chosen, setChosen] = useState(null);
	const [isBusy, setBusy] = useState(false);
	useEffect(() => {
		get("/api/debate-files").then(
			(page) => {
				setFiles(page.items);
				setChosen(page.items.find((one) => one.name === "remote-work") ?? page.items[0]);
			},
			() => {},
		);
	}, []);
	const start = async () => {
		setBusy(true);
		try {
			const made = await post("/api/debates", { file: chosen.name, start: true });
			go(`/debates/${made.id}`);
		} catch (problem) {
			say(problem.detail, { kind: "bad" });
			setBusy(false);
		}
	};
	return html`
		<section class="first">
			<div class="first-text">
				<h2>Let two models argue, and a third decide</h2>
				<p>
					Choose a question and start. Every step is kept: close the page, kill the server, come back, and it
					goes on.
				</p>
				<div class="row">
					<button class="button primary large" disabled=${!chosen || isBusy} onClick=${start}>
						<${Icon} name="play" />
						<span>Start this debate</span>
					</button>
					<a class="button large" href="/new">Write your own</a>
				</div>
			</div>
			<fieldset class="picks">
				<legend class="unseen">Questions to debate</legend>
				${files.map(
					(one) => html`
						<label key=${one.name} class=${chosen === one ? "pick on" : "pick"}>
							<input type="radio" name="first" checked=${chosen === one} onChange=${() => setChosen(one)} />
							<span>${one.topic}</span>
						</label>
					`,
				)}
			</fieldset>
		</section>
	`;
}
