// What a debate can become, and what may be done with it: a rematch, a fork, another name, files, nothing at all.
import { html, useState } from "../lib/ui.js";
import { ask, download } from "../lib/api.js";
import { go } from "../lib/route.js";
import { say } from "../lib/toasts.js";
import { courseOf } from "../lib/course.js";
import { make } from "../lib/wish.js";
import { isOver, isSample, money, plural } from "../lib/words.js";
import { canNotify, isNotifying, toggleNotifying } from "../lib/notify.js";
import { Dialog, Menu } from "./bits.js";
import { Icon } from "./icons.js";
import { copied } from "./turn.js";

const TITLE_MAX = 200;
const RUNNING = new Set(["running", "stopping", "waiting"]); // must be stopped before it can be deleted
const EXPORTS = [
	["md", "Markdown"],
	["html", "HTML, in one file"],
	["json", "JSON"],
	["csv", "CSV"],
	["log", "log, to import it elsewhere"],
];
const ENDINGS = { log: "jsonl", report: "report.md", "decision-record": "decision-record.md" };
const OF_COUNCILS = [
	["report", "Report"],
	["decision-record", "Decision record"],
];

export const exportItems = (live, prefix = "Export as ") =>
	[...EXPORTS, ...(live.state.format === "council" ? OF_COUNCILS : [])].map(([kind, name]) => ({
		name: prefix + (prefix ? name : name[0].toUpperCase() + name.slice(1)),
		icon: "file",
		run: () =>
			download(`/api/debates/${live.id}/export?as=${kind}`, `moot-${live.id}.${ENDINGS[kind] ?? kind}`).catch((p) =>
				say(p.detail, { kind: "bad" }),
			),
	}));

const hasTwoSides = (config) =>
	["pro", "con"].every((side) => config?.participants.some((one) => one.role === "debater" && one.stance === side));

const compareItem = (live) => ({ name: "Compare", icon: "compare", run: () => go(`/debates/${live.id}/with`) });

// The entries of a menu; `open` shows the dialog of that name, `fork` asks for a fork after that event.
export function againItems(live, open, fork) {
	const { status, seq, visits } = live.state;
	return [
		{ name: "Rename", icon: "edit", run: () => open("rename") },
		!isOver(status) && compareItem(live),
		// A room has one stage, which is no course to draw.
		visits.size > 1 && { name: "Stages", icon: "outline", run: () => open("stages") },
		seq > 1 && { name: "Fork from the end", icon: "fork", run: () => fork(seq) },
		{ name: "Copy link", icon: "link", run: () => copied(`${location.origin}/debates/${live.id}`, "Link") },
		!isOver(status) &&
			canNotify() && {
				name: isNotifying() ? "Stop notifying me" : "Notify me",
				icon: "bell",
				run: toggleNotifying,
			},
		!RUNNING.has(status) && { name: "Delete…", icon: "trash", isDanger: true, run: () => open("delete") },
	];
}

export const rematchItems = (live, open) =>
	isOver(live.state.status)
		? [
				{ name: "Rematch", icon: "retry", run: () => open("rematch") },
				hasTwoSides(live.state.config) && { name: "Swap sides", icon: "swap", run: () => open("swap") },
				compareItem(live),
			]
		: [];

// What people want when it is over, as buttons: the first is the one to press.
export function AgainButtons({ live, open, fork, children }) {
	const [first, ...others] = rematchItems(live, open).filter(Boolean);
	const button = (item, tone) => html`
		<button class=${`btn ${tone}`} onClick=${item.run}><${Icon} name=${item.icon} /><span>${item.name}</span></button>
	`;
	return html`
		${button(first, "primary")}
		${others.map((item) => button(item, ""))}
		<span class="spring"></span>
		${children}
		<${Menu} label="Export" icon="file" text="Export" class="btn quiet" items=${exportItems(live, "")} />
		<${Menu} label="Rename, fork, link, delete" class="btn quiet icon" items=${againItems(live, open, fork)} />
	`;
}

// --- dialogs --------------------------------------------------------------------------------------

export function RenameDialog({ live, onClose }) {
	const [title, setTitle] = useState(live.state.title);
	const save = async () => {
		await live.rename(title);
		onClose();
	};
	return html`
		<${Asking} title="Rename" action="Rename" send=${save} onClose=${onClose}>
			<label class="field">
				<span>Title</span>
				<input
					class="input"
					type="text"
					autofocus
					maxlength=${TITLE_MAX}
					placeholder=${live.state.topic}
					value=${title}
					onInput=${(event) => setTitle(event.target.value)}
				/>
			</label>
			<p class="hint">Shown instead of the topic, which stays as it is. Leave it empty to show the topic.</p>
		<//>
	`;
}

// What it may cost: what this one has cost.
function priceOf(live) {
	const { status, calls } = live.state;
	const cost = live.usage.cost_usd;
	if (isSample(live.state)) return "No model took part in this one; in yours, the models that you use otherwise speak.";
	if (cost == null) return `This one made ${plural(calls, "call")}; the price is unknown.`;
	if (status !== "completed") return `This one had cost ${money(cost)} when it ended.`;
	return cost ? `About ${money(cost)}, as this one.` : "It is free, as this one was.";
}

export function RematchDialog({ live, isSwapped, onClose }) {
	const [models, setModels] = useState({});
	const send = async () => {
		const body = { swap: Boolean(isSwapped), models: chosen(models), start: true };
		const made = await make(`${live.id}.rematch`, `/api/debates/${live.id}/rematches`, body);
		onClose();
		go(`/debates/${made.id}`);
		say(isSwapped ? "This is the rematch, with sides swapped." : "This is the rematch.");
	};
	return html`
		<${Asking} title=${isSwapped ? "Swap sides" : "Rematch"} action="Start" send=${send} onClose=${onClose}>
			<p>
				Starts a new debate with the same cast${!isSample(live.state) && " and models"}${
					isSwapped ? ", each on the other side" : ""
				}. ${priceOf(live)}
			</p>
			<details class="fold">
				<summary>Use other models</summary>
				<${Models} people=${live.state.config.participants} models=${models} onChange=${setModels} />
			</details>
		<//>
	`;
}

export function ForkDialog({ live, at, onClose }) {
	const [models, setModels] = useState({});
	const course = courseOf(live.state);
	const number = course.statements.filter((turn) => turn.seq <= at).length;
	const send = async () => {
		const body = { at, changes: { models: chosen(models) } };
		const made = await make(`${live.id}.fork`, `/api/debates/${live.id}/forks`, body);
		onClose();
		go(`/debates/${made.id}`);
		say("This is the fork. Resume goes on from here.");
	};
	return html`
		<${Asking} title="Fork from here" action="Fork" send=${send} onClose=${onClose}>
			<p>
				A new debate. ${number ? `Goes its own way after statement ${number}.` : "Goes its own way from here."}${" "}
				This one is not changed.
			</p>
			<${Models} people=${[...live.state.participants.values()]} models=${models} onChange=${setModels} />
		<//>
	`;
}

export function DeleteDialog({ live, onClose }) {
	const send = async () => {
		await ask("DELETE", `/api/debates/${live.id}`);
		onClose();
		go("/");
		say("Debate deleted");
	};
	return html`
		<${Asking} title="Delete this debate?" action="Delete it" tone="danger" send=${send} onClose=${onClose}>
			<p>It is gone for good, with everything that was said in it.</p>
		<//>
	`;
}

// A form in a dialog, which stays open with the reason if the server says no.
function Asking({ title, action, tone = "primary", send, onClose, children }) {
	const [problem, setProblem] = useState(null);
	const [isBusy, setBusy] = useState(false);
	const submit = async (event) => {
		event.preventDefault();
		setBusy(true);
		await send().catch(setProblem);
		setBusy(false);
	};
	return html`
		<${Dialog} title=${title} onClose=${onClose}>
			<form onSubmit=${submit}>
				${children}
				${problem && html`<p class="error" role="alert">${problem.detail}</p>`}
				<div class="actions end"><button class=${`btn ${tone}`} disabled=${isBusy}>${action}</button></div>
			</form>
		<//>
	`;
}

// One field for each who is no person; what is left empty stays as it is.
function Models({ people, models, onChange }) {
	return people
		.filter((one) => one.model !== "human")
		.map(
			(one) => html`
				<label class="field" key=${one.id}>
					<span>Model of ${one.name}</span>
					<input
						class="input"
						type="text"
						placeholder=${one.model}
						value=${models[one.id] ?? ""}
						onInput=${(event) => onChange((now) => ({ ...now, [one.id]: event.target.value }))}
					/>
				</label>
			`,
		);
}

const chosen = (models) => Object.fromEntries(Object.entries(models).filter(([, model]) => model.trim()));
