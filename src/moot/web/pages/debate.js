// One debate: its head, what its format shows, and what people may do.
import { html, useEffect, useState } from "../lib/ui.js";
import { Live } from "../lib/live.js";
import { download } from "../lib/api.js";
import { say } from "../lib/toasts.js";
import { because, exactly, money, plural, Words, written } from "../lib/words.js";
import { viewOf } from "../views/index.js";
import { againItems, ForkDialog, RematchDialog, RenameDialog } from "../parts/again.js";
import { Commands, Connection } from "../parts/commands.js";
import { Menu, StatusPill, copy, useLeft } from "../parts/bits.js";
import { Veil } from "../parts/questions.js";
import { ToyNotice } from "../parts/toy.js";
import { Dots, showsPrivate } from "../parts/turn.js";
import { Missing } from "./missing.js";

const EXPORTS = [
	["md", "Markdown"],
	["html", "One HTML file"],
	["json", "JSON"],
	["csv", "CSV"],
];
const OF_COUNCILS = [
	["report", "Report"],
	["decision-record", "Decision record"],
];

export function DebatePage({ id }) {
	const [live] = useState(() => new Live(id));
	const [forkAt, setForkAt] = useState(null);
	const [asked, setAsked] = useState("");
	useEffect(() => {
		live.start();
		return () => live.stop();
	}, [live]);
	useEffect(() => {
		const onKey = (event) => {
			if (event.defaultPrevented || event.altKey || /^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName)) return;
			if (viewOf(live.state.format).keys?.(live, event)) event.preventDefault();
			else if (!event.ctrlKey && !event.metaKey) KEYS[event.key]?.(event);
		};
		addEventListener("keydown", onKey);
		return () => removeEventListener("keydown", onKey);
	}, [live]);
	const { topic, title, format, status } = live.state;
	const name = title || topic;
	useEffect(() => {
		if (name) document.title = `${name} · Moot`;
		return () => {
			document.title = "Moot";
		};
	}, [name]);
	const problem = live.problem.value;
	if (problem) {
		const detail = problem.status === 404 ? undefined : problem.detail;
		return html`<${Missing} what="debate" detail=${detail} />`;
	}
	const { Main, Side, Bar, Composer, Now: Progress = Now, tellsNotices } = viewOf(format);
	return html`
		<div class=${`debate format-${format || "unknown"}`}>
			<${Head} live=${live} onFork=${setForkAt} onAsk=${setAsked} />
			${Bar && html`<${Bar} live=${live} onFork=${setForkAt} />`}
			<${Trouble} live=${live} isQuiet=${tellsNotices} />
			<${Veil} live=${live} />
			<${ToyNotice} models=${[...live.state.participants.values()].map((one) => one.model)} />
			<div class="columns">
				<div class="column">
					${
						format
							? html`<${Main} live=${live} onFork=${setForkAt} />`
							: html`
								<div class="bone"></div>
								<div class="bone"></div>
								<div class="bone"></div>
							`
					}
					${format && status !== "created" && html`<${Progress} live=${live} />`}
					<${Again} live=${live} />
				</div>
				<aside class="side" aria-label="About this debate" tabindex="0">
					<details class="side-fold" open=${matchMedia("(min-width: 66rem)").matches}>
						<summary class="button small">Participants, stages, limits</summary>
						${format && html`<${Side} live=${live} onFork=${setForkAt} />`}
					</details>
				</aside>
			</div>
			${Composer && html`<${Composer} live=${live} />`}
			${forkAt !== null && html`<${ForkDialog} live=${live} at=${forkAt} onClose=${() => setForkAt(null)} />`}
			${asked === "rename" && html`<${RenameDialog} live=${live} onClose=${() => setAsked("")} />`}
			${asked === "rematch" && html`<${RematchDialog} live=${live} onClose=${() => setAsked("")} />`}
		</div>
	`;
}

function Head({ live, onFork, onAsk }) {
	const { topic, title, format, status, settings, statements, turns, calls, stopReason, seq } = live.state;
	const { usage } = live;
	const more = [
		...againItems(live, onAsk),
		...[...EXPORTS, ...(format === "council" ? OF_COUNCILS : [])].map(([kind, name]) => ({
			name: `Export as ${name}`,
			icon: "file",
			run: () =>
				download(
					`/api/debates/${live.id}/export?as=${kind}`,
					`moot-${live.id}.${kind}${kind.length > 4 ? ".md" : ""}`,
				).catch((p) => say(p.detail, { kind: "bad" })),
		})),
		{ name: "Fork from the end", icon: "fork", run: () => onFork(seq) },
		{
			name: "Copy link",
			icon: "link",
			run: async () => {
				await copy(`${location.origin}/debates/${live.id}`);
				say("Link copied");
			},
		},
	];
	return html`
		<header class="head">
			<div class="head-text">
				<p class="eyebrow">
					${format ? Words(format) : "Debate"}
					<${Origin} state=${live.state} />
				</p>
				<h1 class=${(title || topic)?.length > 120 ? "long" : ""}>
					${title || topic || html`<span class="bone bone-title"></span>`}
				</h1>
				${title && html`<p class="premise-line"><b>Topic.</b> ${topic}</p>`}
				${settings.premise && html`<p class="premise-line"><b>Premise.</b> ${settings.premise}</p>`}
			</div>
			<div class="bar">
				<${StatusPill} status=${status} />
				${stopReason && status !== "completed" && html`<span class="hint">${because(stopReason)}</span>`}
				<span class="hint tally">
					${
						calls > 0 &&
						html`
							${statements || !turns.length ? plural(statements, "statement") : plural(turns.length, "turn")}
							${" "}· ${written(usage)} · ${money(usage.cost_usd)}
						`
					}
				</span>
				<${Connection} live=${live} />
				<span class="spring"></span>
				<label class="switch">
					<input
						type="checkbox"
						role="switch"
						checked=${showsPrivate.value}
						onChange=${(event) => {
							showsPrivate.value = event.target.checked;
						}}
					/>
					<i></i>
					<span>Thoughts</span>
				</label>
				<${Commands} live=${live} />
				<${Menu} label="Rename, export, fork, link" items=${more} />
			</div>
		</header>
	`;
}

// The debate that this one came from.
function Origin({ state: { forkedFrom, rematchOf } }) {
	if (forkedFrom) return html` · <a href=${`/debates/${forkedFrom.debate}`}>forked at ${forkedFrom.at}</a>`;
	return rematchOf && html` · <a href=${`/debates/${rematchOf}`}>rematch of an earlier debate</a>`;
}

function Trouble({ live, isQuiet }) {
	const { failure, status, notices } = live.state;
	return html`
		${
			status === "failed" &&
			failure &&
			html`
				<div class="notice bad" role="alert">
					<b>It failed.</b> ${failure.error}
					${" "}
					<span class="hint">Nothing is lost: Retry runs only what is missing.</span>
				</div>
			`
		}
		${
			live.stalled.value &&
			html`
				<div class="notice bad" role="alert">
					<b>Nothing can be recorded now:</b> ${live.stalled.value}.
					${" "}
					<span class="hint">Nothing is lost, and it goes on by itself.</span>
				</div>
			`
		}
		${status === "running" && waitsOf(live).map((one) => html`<${Wait} key=${one.reason} ...${one} />`)}
		${!isQuiet && notices.slice(-2).map((one) => html`<div class="notice" key=${one.seq}>${one.text}</div>`)}
	`;
}

// A reply that could not be used, at the end: it comes and goes, and what is being read must not move.
function Again({ live }) {
	const { status, trouble } = live.state;
	const latest = [...trouble.values()].findLast((one) => !one.retry_in_s);
	if (status !== "running" || !latest) return null;
	return html`
		<p class="now" role="status">
			<span>A reply could not be used (${latest.error}); attempt ${latest.attempt + 1} follows.</span>
		</p>
	`;
}

// What is waited for, each reason once, though many may wait for it.
function waitsOf(live) {
	const waits = new Map();
	const held = [...live.writing.value.values()].map((entry) => entry.held.value).filter(Boolean);
	const told = [...(live.view.value?.waiting ?? []), ...held.map((one) => ({ ...one, next_try_at: one.until }))];
	for (const { reason, since, next_try_at: next, participant } of told) {
		const one = waits.get(reason) ?? { reason, since, next, names: [] };
		if (since < one.since) one.since = since;
		if (next < one.next) one.next = next;
		if (participant) one.names.push(live.person(participant).name);
		waits.set(reason, one);
	}
	return [...waits.values()];
}

// The countdown is not read out each second.
function Wait({ reason, since, next, names }) {
	const left = useLeft(next);
	return html`
		<div class="notice wait">
			<span role="status"><b>${reason}.</b></span>
			${" "}
			${names.length > 0 && `${[...new Set(names)].join(", ")}: `}
			waiting since ${exactly(since)},
			${" "}
			<span role="timer">${left > 0 ? `next try in ${left} s` : "trying again now"}</span>.
			${" "}
			<span class="hint">Nothing is lost. Stop works at once.</span>
		</div>
	`;
}

// One line at the end of the transcript: who comes next. Its place is kept, so that nothing jumps.
function Now({ live }) {
	const { status } = live.state;
	const busy = new Set([...live.writing.value.values()].map((entry) => entry.participant));
	if (status !== "running" && status !== "stopping") return null;
	const next = [...new Set(live.view.value?.upcoming ?? [])]
		.filter((id) => !busy.has(id))
		.map((id) => live.person(id).name);
	return html`
		<p class="now">
			${
				status === "stopping"
					? html`<span>Finishing the step in flight</span><${Dots} />`
					: next.length
						? html`<span>Next: ${next.join(", ")}</span>`
						: !busy.size
							? html`<span>Working</span><${Dots} />`
							: ""
			}
		</p>
	`;
}

const step = (by) => () => {
	const all = [...document.querySelectorAll(".transcript article.turn[id]")];
	const at = all.indexOf(document.activeElement?.closest?.("article.turn"));
	const top = all.findIndex((turn) => turn.getBoundingClientRect().top > 80);
	const next = all[at >= 0 ? at + by : top];
	next?.focus({ preventScroll: true });
	next?.scrollIntoView({ block: "center" });
};
const KEYS = {
	j: step(1),
	k: step(-1),
	p: () => {
		showsPrivate.value = !showsPrivate.value;
	},
};
