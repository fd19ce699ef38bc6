// The foot of a debate: who speaks, who is next, and which commands are possible now. Cancelling asks first, and
// so does ending while somebody owes an answer.
import { html, useEffect, useState } from "../lib/ui.js";
import { fetched } from "../lib/fetched.js";
import { clock, doing, exactly, isOver, status as worded } from "../lib/words.js";
import { listed } from "../lib/models.js";
import { called, side } from "../lib/people.js";
import { FaceOf, Menu, Notice, useLeft } from "./bits.js";
import { Icon } from "./icons.js";
import { newsOf, toEnd, toOutcome } from "./transcript.js";
import { endedWith } from "./verdict.js";

const BUTTONS = {
	start: ["Start", "play", "primary", "Begins the debate"],
	resume: ["Resume", "play", "primary", "Goes on from where it stopped"],
	retry: ["Retry", "retry", "primary", "Runs what is missing, and nothing else"],
	stop: ["Stop", "stop", "", "Finishes this step, then waits for you"],
	end: ["End now", "flag", "wide", "Skips what is left and comes to the end"],
};

// Whether a command is possible; a debate that was told to end is not told again.
const possible = ({ state }, name) => state.commands.includes(name) && !(name === "end" && state.isEnding);

// Ending a debate takes the word from whoever was asked, unless the outcome needs their answer.
const carryOut = (live, open, name) => (name === "end" && live.state.questions.size ? open("end") : live.command(name));

export function Commands({ live, open }) {
	const busy = live.busy.value;
	return html`
		<div class="actions commands" role="group" aria-label="Commands">
			${Object.entries(BUTTONS)
				.filter(([name]) => possible(live, name))
				.map(
					([name, [text, icon, tone, title]]) => html`
						<button
							key=${name}
							class=${`btn small ${tone}`}
							title=${title}
							disabled=${Boolean(busy)}
							aria-busy=${busy === name}
							onClick=${() => carryOut(live, open, name)}
						>
							<${Icon} name=${icon} small />
							<span>${text}</span>
						</button>
					`,
				)}
		</div>
	`;
}

// The menu entries for a debate that is not over; End now is among them for narrow windows.
export function commandItems(live, open, all) {
	const has = (name) => possible(live, name);
	const item = ([name, [text, icon]]) => has(name) && { name: text, icon, run: () => carryOut(live, open, name) };
	return [
		...Object.entries(BUTTONS)
			.filter(([name]) => all || name === "end")
			.map(item),
		has("cancel") && { name: "Cancel the debate…", icon: "close", isDanger: true, run: () => open("cancel") },
	];
}

export const shareItem = (open) => ({ name: "Share…", icon: "link", run: () => open("share") });

export const ShareButton = ({ open }) => html`
	<button class="btn quiet" onClick=${() => open("share")}><${Icon} name="link" /><span>Share</span></button>
`;

// The dialogs are fetched when the first of them is wanted.
const nothing = () => null;
export const Share = fetched(() => import("./share.js").then((module) => module.ShareDialog), nothing);
const dialog = (name) => fetched(() => import("./command_dialogs.js").then((module) => module[name]), nothing);
export const EndDialog = dialog("EndDialog");
export const CancelDialog = dialog("CancelDialog");

// `children` stand above the controls, such as where to speak without having been asked.
export function Dock({ live, items, open, onOutline, children }) {
	const { status, format } = live.state;
	const { missed, hasOutcome } = newsOf(live).value;
	if (!format || (isOver(status) && !hasOutcome && !missed)) return null;
	return html`
		<section class="dock" aria-label="Controls">
			<div class=${children ? "dock-in tall" : "dock-in"}>
				${children}
				<${Now} live=${live} />
				<span class="spring"></span>
				<${News} live=${live} />
				${
					!isOver(status) &&
					html`
						<button class="btn quiet small icon narrow" aria-label="Outline and details" onClick=${onOutline}>
							<${Icon} name="outline" />
						</button>
						<${Commands} live=${live} open=${open} />
						<${Menu} label="Rename, export, fork, link, cancel" items=${items} opensUp />
					`
				}
			</div>
		</section>
	`;
}

const Said = ({ live, id, wide, children }) => html`
	<p class=${wide ? "now wide" : "now"}>
		${id && html`<${FaceOf} live=${live} id=${id} size="s" />`}
		<span>${children}</span>
	</p>
`;

// While nobody speaks: what is shown in place of the status where the status says too little.
const AT_REST = { created: "Ready to start", stopping: "Finishing the step in flight", stopped: "", failed: "" };

const toForm = () => {
	const form = document.querySelector(".turn-form");
	form?.scrollIntoView({ block: "center" });
	form?.querySelector("textarea,input,select")?.focus({ preventScroll: true });
};

// Those who speak are shown before those who think.
function Now({ live }) {
	const { status, questions, isEnding } = live.state;
	if (status in AT_REST) return html`<${Said}><b>${AT_REST[status] || worded(status).label}</b><//>`;
	if (isOver(status)) return null;
	const writing = [...live.writing.value.values()];
	const first = writing.find((one) => one.visibility === "public") ?? writing[0];
	const asked = [...questions.values()][0];
	const busy = new Set([...writing.map((one) => one.participant), asked?.participant]);
	const next = live.view.value?.upcoming?.find((id) => !busy.has(id) && side(live, id) !== "bench");
	const nameOf = (id) => live.person(id).name;
	const isYou = (id) => called(live, id) === "You";
	const isAsked = asked && (!first || isYou(asked.participant));
	const who = isAsked ? asked.participant : first?.participant;
	const { name } = live.person(who);
	const alike = writing.filter(({ kind, visibility }) => kind === first.kind && visibility === first.visibility);
	const together = [...new Set(alike.map((one) => nameOf(one.participant)))];
	const told = isAsked
		? html`
			<button class="linkish" onClick=${toForm}>
				<b>${isYou(asked.participant) ? "It is your turn" : `Your turn, ${name}`}</b>
			</button>
		`
		: first && html`<b>${listed(together)}</b> ${together.length > 1 ? "are" : "is"} ${doing(first.kind)}`;
	return html`
		<${Said} live=${live} id=${who}>${told || "Working"}<//>
		${isEnding && html`<${Said} wide>Coming to its end<//>`}
		${
			next &&
			!isEnding &&
			html`<${Said} live=${live} id=${next} wide>${isYou(next) ? "You are" : `${nameOf(next)} is`} next<//>`
		}
	`;
}

// What came while the reader was elsewhere on the page.
function News({ live }) {
	const news = newsOf(live);
	const { missed, hasOutcome } = news.value;
	if (!missed && !hasOutcome) return null;
	const go = () => {
		news.value = { missed: 0, hasOutcome: false };
		if (hasOutcome) toOutcome();
		else toEnd();
	};
	return html`
		<button class=${`btn small news ${hasOutcome ? "primary" : ""}`} onClick=${go}>
			<${Icon} name=${hasOutcome ? "up" : "down"} small />
			<span>${hasOutcome ? endedWith(live) : `${missed} new`}</span>
		</button>
	`;
}

const LOST_MS = 3000;

// Only a connection that stays away is worth a word.
export function Connection({ live }) {
	const { kind } = live.connection.value;
	const [since, setSince] = useState(0);
	const isLost = kind === "lost";
	useEffect(() => {
		if (!isLost) return setSince(0);
		const at = Date.now();
		const timer = setTimeout(() => setSince(at), LOST_MS);
		return () => clearTimeout(timer);
	}, [isLost]);
	if (!since || !isLost) return null;
	const action = html`<button class="btn small" onClick=${() => live.retry()}>Try now</button>`;
	return html`
		<${Notice} tone="lost" icon="clock" action=${action}>
			<span role="status">
				<b>No connection since ${clock(since)}.</b> Nothing is lost: this page catches up by itself.
			</span>
		<//>
	`;
}

export const Waiting = ({ live }) =>
	live.state.status === "running" && waitsOf(live).map((one) => html`<${Wait} key=${one.reason} ...${one} />`);

// Each reason for waiting once, though many may wait for it.
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
		<${Notice} tone="wait" icon="clock">
			<span role="status"><b>${reason}; Moot is waiting.</b></span>${" "}
			${names.length > 0 && `${[...new Set(names)].join(", ")}: since`} ${exactly(since)},${" "}
			<span role="timer">${left > 0 ? `next try in ${left} s` : "trying again now"}</span>.${" "}
			Nothing is lost. Stop works at once.
		<//>
	`;
}
