// Small things that many pages show.
import { html, useEffect, useLayoutEffect, useRef, useState } from "../lib/ui.js";
import { status as worded } from "../lib/words.js";
import { initials, isElsewhere, isPerson, tone as toneIn } from "../lib/people.js";
import { Icon } from "./icons.js";

const TONES = { live: "live", done: "", wait: "you", bad: "bad", idle: "" };

// `label` replaces the usual word.
export function StatusPill({ status, label }) {
	const { label: usual, tone } = worded(status);
	return html`<span class=${`pill ${TONES[tone] ?? ""}`}><i class="dot"></i>${label ?? usual}</span>`;
}

// A speech bubble: its tail points to its side, judges sit square, people are filled.
// `tone` is "for", "against", "judge", "you" or one of the members' ("m0" to "m7"); `size` is "s" or "xl".
export const Face = ({ name, tone, isYou, size = "" }) => html`
	<span class=${`face ${tone} ${isYou ? "you" : ""} ${size}`} aria-hidden="true">
		${isYou ? "You" : initials(name)}
	</span>
`;

// The face of somebody in a debate that is open here.
export const FaceOf = ({ live, id, size }) => {
	const one = live.person(id);
	const isYou = isPerson(one) && !isElsewhere(live);
	return html`<${Face} name=${one.name} tone=${toneIn(live, id)} isYou=${isYou} size=${size} />`;
};

// A sentence that gets in nobody's way; an alert interrupts. `children` are the sentence, `action` is a button.
export const Notice = ({ tone = "plain", icon, isAlert, action, children }) => html`
	<div class=${`notice ${tone}`} role=${isAlert ? "alert" : undefined}>
		<${Icon} name=${icon} />
		<p>${children}</p>
		${action}
	</div>
`;

// Names and values, [[name, value], ...]; false rows are left out.
export const Facts = ({ rows, class: own = "" }) => html`
	<dl class=${`facts ${own}`}>
		${rows.filter(Boolean).map(([name, value]) => html`<dt key=${name}>${name}</dt><dd>${value}</dd>`)}
	</dl>
`;

// The browser's own dialog: it keeps the focus inside, and Escape closes it. Whoever shows it takes it away at once;
// the browser's own event of closing comes a moment later, and would close what has been opened meanwhile.
export function Dialog({ title, onClose, children, wide }) {
	const [box, before, isPressed] = [useRef(null), useRef(null), useRef(false)];
	useLayoutEffect(() => {
		before.current = document.activeElement;
		box.current.showModal();
	}, []);
	// A dialog that is removed while it is open takes the focus with it, which shows only once it is gone.
	useEffect(() => () => hasNoFocus() && before.current.focus(), []);
	const isOwn = (event) => event.target === box.current;
	// A click is the backdrop's also if the press began or ended in a field, where text was being selected.
	const onPress = (event) => {
		isPressed.current = isOwn(event);
	};
	const onRelease = (event) => {
		isPressed.current &&= isOwn(event);
	};
	const onCancel = (event) => {
		if (!isOwn(event)) return; // a file's field tells its own
		event.preventDefault();
		onClose();
	};
	return html`
		<dialog
			class=${wide ? "dialog wide" : "dialog"}
			ref=${box}
			onCancel=${onCancel}
			onClose=${onClose}
			aria-label=${title}
			onMouseDown=${onPress}
			onMouseUp=${onRelease}
			onClick=${(event) => isOwn(event) && isPressed.current && onClose()}
		>
			<div class="dialog-in">
				<header>
					<h2>${title}</h2>
					<button class="btn quiet icon small" aria-label="Close" onClick=${onClose}>
						<${Icon} name="close" />
					</button>
				</header>
				${children}
			</div>
		</dialog>
	`;
}

// To be called before the row of a list that `element` is in is taken away. What it returns is called after that, and
// gives the focus, which would fall to the page's beginning, to the row that follows or the one before: to what `to`
// finds there; or else to what `otherwise` finds in the page.
export function stepAside(element, to, otherwise) {
	const row = element?.closest("li");
	const beside = [row?.nextElementSibling, row?.previousElementSibling];
	const found = () => beside.find((one) => one?.isConnected)?.querySelector(to) ?? document.querySelector(otherwise);
	return () => setTimeout(() => hasNoFocus() && found()?.focus()); // once it is drawn
}

// Whether what had the focus is gone.
export const hasNoFocus = () => document.activeElement === document.body;

// A button that opens a short list of things to do. A dangerous item has a line before it;
// `foot` stands below the list, and cannot be chosen.
export function Menu({ label, icon = "dots", items, text, opensUp, foot, class: own = "btn quiet icon small" }) {
	const box = useRef(null);
	const close = () => {
		box.current.open = false;
	};
	const onKey = (event) => {
		if (event.key === "Escape" && box.current.open) {
			event.stopPropagation();
			close();
			box.current.querySelector("summary").focus();
		}
		if (event.key === "ArrowDown" || event.key === "ArrowUp") {
			event.preventDefault();
			box.current.open = true;
			const all = [...box.current.querySelectorAll("[role=menuitem]")];
			const at = all.indexOf(document.activeElement) + (event.key === "ArrowDown" ? 1 : -1);
			all[(at + all.length) % all.length]?.focus();
		}
	};
	const choose = (item) => {
		close();
		box.current.querySelector("summary").focus(); // a dialog gives the focus back here
		item.run();
	};
	const onBlur = (event) => {
		if (box.current && !box.current.contains(event.relatedTarget)) close();
	};
	return html`
		<details class=${opensUp ? "opens up" : "opens"} ref=${box} onKeyDown=${onKey} onfocusout=${onBlur}>
			<summary class=${own} aria-label=${label} aria-haspopup="menu" title=${label}>
				<${Icon} name=${icon} />
				${text && html`<span>${text}</span>`}
			</summary>
			<div class="menu">
				<div role="menu">
					${items
						.filter(Boolean)
						.map((item) => html`<${MenuItem} key=${item.name} item=${item} onChoose=${() => choose(item)} />`)}
				</div>
				${foot}
			</div>
		</details>
	`;
}

// Known by its name: when another comes before it, whoever is just pressing this one has pressed this one.
const MenuItem = ({ item, onChoose }) => html`
	${item.isDanger && html`<hr role="separator" />`}
	<button
		role="menuitem"
		tabindex="-1"
		class=${item.isDanger ? "danger" : ""}
		disabled=${item.isOff}
		onClick=${onChoose}
	>
		${item.icon && html`<${Icon} name=${item.icon} />`}
		<span>${item.name}</span>
		${item.hint && html`<small>${item.hint}</small>`}
	</button>
`;

export const Meter = ({ label, value, most, shown }) => {
	const share = most > 0 ? Math.min(1, value / most) : 0;
	return html`
		<div class="meter">
			<div class="meter-head">
				<span>${label}</span>
				<b>${shown}</b>
			</div>
			<svg
				class=${`meter-bar ${share >= 1 ? "full" : share >= 0.8 ? "near" : ""}`}
				viewBox="0 0 100 4"
				preserveAspectRatio="none"
				role="meter"
				aria-label=${label}
				aria-valuemin="0"
				aria-valuemax=${most}
				aria-valuenow=${Math.min(most, value)}
				aria-valuetext=${shown}
			>
				<rect class="all" width="100" height="4" />
				<rect class="part" width=${100 * share} height="4" />
			</svg>
		</div>
	`;
};

export async function copy(text) {
	try {
		await navigator.clipboard.writeText(text);
		return true;
	} catch {
		/* it is not allowed everywhere */
	}
	const area = Object.assign(document.createElement("textarea"), { value: text, className: "unseen" });
	const before = document.activeElement;
	(before.closest("dialog") ?? document.body).append(area); // beside an open dialog, nothing can be selected
	area.select();
	const done = document.execCommand("copy");
	area.remove();
	before.focus({ preventScroll: true });
	return done;
}

// Seconds left until then; at most `most`, in case the clocks differ.
export function useLeft(until, most = 3600) {
	const seconds = () => (until ? Math.min(most, Math.max(0, Math.ceil((Date.parse(until) - Date.now()) / 1000))) : 0);
	const [, tick] = useState(0);
	const left = seconds();
	useEffect(() => {
		if (!left) return undefined;
		const timer = setInterval(() => tick((n) => n + 1), 250);
		return () => clearInterval(timer);
	}, [until, left > 0]);
	return left;
}
