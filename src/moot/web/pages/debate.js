// One debate: its head, how it ended, what its format shows, and what people may do.
import { html, useEffect, useRef, useState } from "../lib/ui.js";
import { Live } from "../lib/live.js";
import { notify, toggleNotifying, canNotify, isNotifying } from "../lib/notify.js";
import { Words, because, clock, isOver, provenance } from "../lib/words.js";
import { viewOf } from "../views/index.js";
import {
	AgainButtons,
	BenchDialog,
	DeleteDialog,
	ForkDialog,
	LabelDialog,
	PanelDialog,
	RematchDialog,
	RenameDialog,
	againItems,
	canFork,
	exportItems,
	rematchItems,
} from "../parts/again.js";
import {
	CancelDialog,
	Connection,
	Dock,
	EndDialog,
	Share,
	ShareButton,
	Waiting,
	commandItems,
	shareItem,
} from "../parts/commands.js";
import { Dialog, Menu, Notice, StatusPill } from "../parts/bits.js";
import { Composer as Interject } from "../parts/composer.js";
import { FollowUp } from "../parts/follow_up.js";
import { Icon } from "../parts/icons.js";
import { GivenPanel, PrivateSwitch, StagesDialog, factsOf } from "../parts/panels.js";
import { Veil } from "../parts/questions.js";
import { useKeys } from "../parts/shortcuts.js";
import { ToyNotice } from "../parts/toy.js";
import { toOutcome } from "../parts/transcript.js";
import { showsPrivate, unfolds } from "../parts/turn.js";
import { endedWith, wonBy } from "../parts/verdict.js";
import { Missing } from "./missing.js";

const DIALOGS = {
	rename: RenameDialog,
	rematch: RematchDialog,
	swap: (props) => html`<${RematchDialog} ...${props} isSwapped />`,
	cancel: CancelDialog,
	end: EndDialog,
	delete: DeleteDialog,
	fork: ForkDialog,
	panel: PanelDialog,
	bench: BenchDialog,
	label: LabelDialog,
	share: Share,
	stages: StagesDialog,
};

export function DebatePage({ id }) {
	const [live] = useState(() => new Live(id));
	const [asked, setAsked] = useState(null); // {name, at}: the dialog that is open
	const [isSheet, setSheet] = useState(false);
	useEffect(() => {
		live.start();
		return () => live.stop();
	}, [live]);
	const keys = useKeys(KEYS, (event) => viewOf(live.state.format).keys?.(live, event));
	useTitle(live);
	const problem = live.problem.value;
	if (problem) {
		const detail = problem.status === 404 ? undefined : problem.detail;
		return html`<${Missing} what="debate" detail=${detail} />`;
	}
	const { format, status, participants } = live.state;
	const { Main, Side, Outcome, Bar, Below, Composer, Now, tellsNotices, tellsWaits } = viewOf(format);
	const open = (name) => setAsked({ name });
	const fork = canFork(format) ? (at) => setAsked({ name: "fork", at }) : undefined;
	const items = [...againItems(live, open, fork), shareItem(open), ...commandItems(live, open)];
	const shut = () => setAsked(null);
	const Asked = DIALOGS[asked?.name];
	const beside = (onGo) => html`
		<${Veil} live=${live} />
		${format && html`<${Side} live=${live} onFork=${fork} onGo=${onGo} />`}
		<${GivenPanel} live=${live} />
		<${PrivateSwitch} live=${live} />
		<${Waits} live=${live} />
	`;
	const menu = [
		...rematchItems(live, open),
		...againItems(live, open, fork),
		shareItem(open),
		...exportItems(live),
		...commandItems(live, open, Boolean(Composer)),
	];
	const hasMenu = isOver(status) ? !Outcome : Boolean(Composer);
	return html`
		<div class=${`debate format-${format || "unknown"}`}>
			<${Head} live=${live} menu=${hasMenu && format ? sorted(menu) : null} onOutline=${() => setSheet(true)} />
			${Bar && html`<${Bar} live=${live} onFork=${fork} />`}
			<${Provenance} state=${live.state} />
			<${Connection} live=${live} />
			<${Trouble} live=${live} isQuiet=${tellsNotices} tellsWaits=${tellsWaits} />
			<${ToyNotice} models=${[...participants.values()].map((one) => one.model)} />
			<div class="with-rail">
				<div class="column">
					${
						Outcome &&
						html`
							<${Outcome}
								live=${live}
								open=${open}
								actions=${html`
									<${AgainButtons} live=${live} open=${open} fork=${fork}>
										<${ShareButton} open=${open} />
									<//>
								`}
							>
								<${FollowUp} live=${live} />
							<//>
						`
					}
					<${Veil} live=${live} isNarrow />
					${
						format
							? html`<${Main} live=${live} onFork=${fork} open=${open} />`
							: html`<div class="bone block"></div><div class="bone block"></div>`
					}
					${!Outcome && html`<${FollowUp} live=${live} />`}
					${Now && status !== "created" && html`<${Now} live=${live} />`}
					<${Again} live=${live} />
				</div>
				<aside class="rail goes" aria-label="About this debate">${beside()}</aside>
			</div>
			${Below && html`<${Below} live=${live} onFork=${fork} />`}
			${
				Composer
					? html`<${Composer} live=${live} />`
					: html`
						<${Dock}
							live=${live}
							open=${open}
							items=${sorted([...items, ...exportItems(live)])}
							onOutline=${() => setSheet(true)}
						>
							${live.view.value?.allows?.includes("say") && html`<${Interject} live=${live} />`}
						<//>
					`
			}
			${Asked && html`<${Asked} live=${live} at=${asked.at} onClose=${shut} />`}
			${
				isSheet &&
				html`
					<${Dialog} title="About this debate" onClose=${() => setSheet(false)}>
						<div class="rail sheet">${beside(() => setSheet(false))}</div>
					<//>
				`
			}
			${keys}
		</div>
	`;
}

// What cannot be undone comes last.
const sorted = (items) => items.filter(Boolean).toSorted((a, b) => Boolean(a.isDanger) - Boolean(b.isDanger));

// --- head -----------------------------------------------------------------------------------------

const PILLS = { running: "Live", waiting: "Your turn" };

function Head({ live, menu, onOutline }) {
	const { topic, title, format, status, settings } = live.state;
	const name = title || topic;
	return html`
		<header class="debate-head">
			<p class="eyebrow">
				${format ? Words(format) : "Debate"}
				${format && status !== "completed" && html`<${StatusPill} status=${status} label=${PILLS[status]} />`}
				<span class="num plain facts-line">${factsOf(live)}</span>
				<${Origin} id=${live.id} state=${live.state} />
				<span class="spring"></span>
				${
					format &&
					html`
						<button class="btn quiet small icon rail-button" aria-label="Outline and details" onClick=${onOutline}>
							<${Icon} name="outline" />
						</button>
					`
				}
				${menu && html`<${Menu} label="Rename, export, fork, link" items=${menu} />`}
			</p>
			<h1 class=${name?.length > 120 ? "long" : ""} dir="auto">
				${name || html`<span class="bone title"></span>`}
			</h1>
			${title && html`<p class="premise"><b>Topic</b> <span dir="auto">${topic}</span></p>`}
			${
				settings.premise &&
				status !== "completed" &&
				html`<p class="premise"><b>Premise</b> <span dir="auto">${settings.premise}</span></p>`
			}
		</header>
	`;
}

// What a reader must know first about a debate that was not held here.
const Provenance = ({ state }) =>
	provenance(state) && html`<${Notice} tone="gold" icon="file"><b>${provenance(state)}</b><//>`;

// The panel that was asked, and the debate that this one came from. A follow-up asks another question, so there is
// nothing to compare.
function Origin({ id, state: { forkedFrom, rematchOf, follows, hears, panel } }) {
	const [to, text] = forkedFrom
		? [forkedFrom.debate, "forked from an earlier debate"]
		: rematchOf
			? [rematchOf, "rematch of an earlier debate"]
			: hears
				? [hears.debate, "about an earlier debate"]
				: [follows, "follow-up to an earlier debate"];
	return html`
		${panel && html`<a class="plain" href=${`/panels#${panel}`}>panel ${panel}</a>`}
		${to && html`<a class="plain" href=${`/debates/${to}`}>${text}</a>`}
		${(forkedFrom || rematchOf) && html`<a class="plain" href=${`/debates/${to}/with/${id}`}>compare them</a>`}
	`;
}

// The name of the debate, with "(1)" while somebody is asked; once it is sure who won, that. A tab that nobody looks
// at is sent no events: it looks now and then.
function useTitle(live) {
	const { title, topic, seq, status } = live.state;
	const view = live.view.value;
	const now = view?.seq > seq ? view.status : status;
	const name = title || topic;
	const isAsked = now === "waiting";
	const winner = wonBy(live);
	const before = useRef(null);
	useEffect(() => {
		const told = isAsked ? `(1) ${name}` : winner && !title ? `${winner} won` : name;
		if (name) document.title = `${told} · Moot`;
	}, [name, title, isAsked, winner]);
	useEffect(() => {
		if (!live.isCaughtUp.value) return;
		if (before.current === "running" && isAsked) notify("Your turn", name, live.id);
		const isSurer = live.state.outcome || view?.doubts.length; // the server's line alone does not tell of doubts
		if (before.current && !isOver(before.current) && now === "completed")
			notify(isSurer ? endedWith(live) : (view?.headline ?? ""), name, live.id);
		before.current = now;
	}, [now, live.isCaughtUp.value]);
	useEffect(
		() => () => {
			document.title = "Moot";
		},
		[],
	);
}

// --- troubles -------------------------------------------------------------------------------------

function Trouble({ live, isQuiet, tellsWaits }) {
	const { failure, status, notices, stopReason, stoppedAt } = live.state;
	const isFailed = status === "failed" && failure;
	const told = isQuiet || isOver(status) ? [] : notices.slice(-2);
	return html`
		${
			isFailed &&
			html`
				<${Notice} tone="bad" icon="close" isAlert>
					<b>It failed.</b> ${failure.error.replace(/[^.!?]$/, "$&.")} Nothing is lost: Retry runs only what is
					missing.
				<//>
			`
		}
		${
			status === "stopped" &&
			html`
				<${Notice} icon="stop"
					><b>${stoppedBy(live, stopReason)} at ${clock(stoppedAt)}.</b> Resume goes on from here.<//
				>
			`
		}
		${
			live.stalled.value &&
			html`
				<${Notice} tone="bad" icon="clock" isAlert>
					<b>Nothing can be recorded now:</b> ${live.stalled.value}. Nothing is lost, and it goes on by itself.
				<//>
			`
		}
		${!tellsWaits && html`<${Waiting} live=${live} />`}
		${told.map((one) => html`<${Notice} key=${one.seq} icon="bell">${one.text}<//>`)}
	`;
}

function stoppedBy(live, reason) {
	if (reason && reason !== "stopped") return Words(`${because(reason)}; it stopped`);
	if (live.isOwnStop) return "You stopped it";
	return live.openedSeq !== null && live.state.seq > live.openedSeq
		? "It was stopped from another window"
		: "It was stopped";
}

// A reply that could not be used. It is shown at the end: it comes and goes, and must not move what is being read.
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

// --- beside it ------------------------------------------------------------------------------------

// Tells people who are asked that they can go away meanwhile.
function Waits({ live }) {
	const [, redraw] = useState(0);
	const asked = live.view.value?.questions ?? [];
	if (live.state.status !== "waiting" || asked.some((one) => one.expires_at)) return null;
	return html`
		<section>
			<h2>Take your time</h2>
			<p class="hint">The debate waits. You may close the page; the tab shows (1) until you have answered.</p>
			${
				canNotify() &&
				!isNotifying() &&
				html`
					<p class="notify">
						<button class="btn small" onClick=${() => toggleNotifying().then(() => redraw((n) => n + 1))}>
							Notify me when it is my turn
						</button>
					</p>
				`
			}
		</section>
	`;
}

// --- keys -----------------------------------------------------------------------------------------

const step = (by) => () => {
	const all = [...document.querySelectorAll(".transcript article.turn[id]")];
	const at = all.indexOf(document.activeElement?.closest?.("article.turn"));
	const top = all.findIndex((turn) => turn.getBoundingClientRect().top > 80);
	const next = all[at >= 0 ? at + by : top];
	next?.focus({ preventScroll: true });
	next?.scrollIntoView({ block: next.offsetHeight > innerHeight / 2 ? "start" : "center" });
};
const toggle = (which) => () => {
	which.value = !which.value;
};
const KEYS = {
	j: ["Next statement", step(1)],
	k: ["Previous statement", step(-1)],
	o: ["The outcome", toOutcome],
	e: ["Unfold or fold evaluations", toggle(unfolds)],
	p: ["Show or hide plans and thoughts", toggle(showsPrivate)],
};
