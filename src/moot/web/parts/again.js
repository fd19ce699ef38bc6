// What a debate can become and what can be done with it: rematch, fork, rename, export, delete.
import { html } from "../lib/ui.js";
import { download } from "../lib/api.js";
import { fetched } from "../lib/fetched.js";
import { go } from "../lib/route.js";
import { say } from "../lib/toasts.js";
import { documentsOf, isOffered, isOpenEnded } from "../lib/formats.js";
import { isOver, Words } from "../lib/words.js";
import { canNotify, isNotifying, toggleNotifying } from "../lib/notify.js";
import { Menu } from "./bits.js";
import { Icon } from "./icons.js";
import { copied } from "./turn.js";

const RUNNING = new Set(["running", "stopping", "waiting"]); // must be stopped before it can be deleted
const EXPORTS = [
	["md", "Markdown"],
	["html", "HTML, in one file"],
	["json", "JSON"],
	["csv", "CSV"],
	["log", "log, to import it elsewhere", "jsonl"],
];
const ofFormat = (format) => documentsOf(format).map((kind) => [kind, Words(kind.replaceAll("-", " ")), `${kind}.md`]);

export const exportItems = (live, prefix = "Export as ") =>
	[...EXPORTS, ...ofFormat(live.state.format)].map(([kind, name, ending = kind]) => ({
		name: prefix + (prefix ? name : name[0].toUpperCase() + name.slice(1)),
		icon: "file",
		run: () =>
			download(`/api/debates/${live.id}/export?as=${kind}`, `moot-${live.id}.${ending}`).catch((p) =>
				say(p.detail, { kind: "bad" }),
			),
	}));

const hasTwoSides = (config) =>
	["pro", "con"].every((side) => config?.participants.some((one) => one.role === "debater" && one.stance === side));

// Hearings and exams cannot be forked: they are asked for anew.
export const canFork = isOffered;

// Whether a bench can be asked. Until the server has said so for the end of the debate, `isLikely` decides: a button
// that came later would move what is being read.
export function canBeHeard(live, isLikely) {
	const view = live.view.value;
	return view?.status === live.state.status ? view.can_be_heard : isLikely && live.state.status === "completed";
}

// Only a set-up that comes to an answer can be a panel; a conversation does not.
const hasEnd = (format) => isOffered(format) && !isOpenEnded(format);

const compareItem = (live) => ({ name: "Compare", icon: "compare", run: () => go(`/debates/${live.id}/with`) });

// The entries of a menu; `open(name)` shows a dialog, `fork(seq)` asks for a fork after an event.
export function againItems(live, open, fork) {
	const { status, seq, visits, format } = live.state;
	return [
		{ name: "Rename", icon: "edit", run: () => open("rename") },
		!isOver(status) && compareItem(live),
		// A room has only one stage, so there is nothing to draw.
		visits.size > 1 && { name: "Stages", icon: "outline", run: () => open("stages") },
		hasEnd(format) && { name: "Save as a panel…", icon: "people", run: () => open("panel") },
		live.view.value?.can_be_heard && { name: "Who made the better case?", icon: "check", run: () => open("label") },
		seq > 1 && canFork(format) && { name: "Fork from the end", icon: "fork", run: () => fork(seq) },
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

// A hearing has no rematch: a bench is asked again from the debate that it was about, and a judge on the judges' page.
export function rematchItems(live, open) {
	if (!isOver(live.state.status)) return [];
	return [
		isOffered(live.state.format) && { name: "Rematch", icon: "retry", run: () => open("rematch") },
		hasTwoSides(live.state.config) && { name: "Swap sides", icon: "swap", run: () => open("swap") },
		compareItem(live),
		canBeHeard(live, hasTwoSides(live.state.config)) && {
			name: "Ask a bench",
			icon: "people",
			run: () => open("bench"),
		},
	];
}

// What people want when it is over, as buttons: the first is the one to press.
export function AgainButtons({ live, open, fork, children }) {
	const button = ({ name, icon, run }, n) => html`
		<button key=${name} class=${n === 0 && isOffered(live.state.format) ? "btn primary" : "btn"} onClick=${run}>
			<${Icon} name=${icon} /><span>${name}</span>
		</button>
	`;
	return html`
		${rematchItems(live, open).filter(Boolean).map(button)}
		<span class="spring"></span>
		${children}
		<${Menu} label="Export" icon="file" text="Export" class="btn quiet" items=${exportItems(live, "")} />
		<${Menu} label="Rename, save, fork, link, delete" class="btn quiet icon" items=${againItems(live, open, fork)} />
	`;
}

// The dialogs are fetched when the first of them is wanted.
const nothing = () => null;
const dialog = (name) => fetched(() => import("./again_dialogs.js").then((module) => module[name]), nothing);
export const BenchDialog = fetched(() => import("./bench_dialog.js").then((module) => module.BenchDialog), nothing);
export const LabelDialog = fetched(() => import("./labels.js").then((module) => module.LabelDialog), nothing);
export const RenameDialog = dialog("RenameDialog");
export const RematchDialog = dialog("RematchDialog");
export const ForkDialog = dialog("ForkDialog");
export const PanelDialog = dialog("PanelDialog");
export const DeleteDialog = dialog("DeleteDialog");
