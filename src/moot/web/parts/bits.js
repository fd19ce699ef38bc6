// Small things that many pages show.
import { html, useEffect, useRef, useState } from "../lib/ui.js";
import { status as worded } from "../lib/words.js";
import { initials, tint as tintOf } from "../lib/people.js";
import { Icon } from "./icons.js";

export function StatusPill({ status }) {
	const { label, tone } = worded(status);
	return html`<span class=${`pill ${tone}`}><i class="dot"></i>${label}</span>`;
}

export const Avatar = ({ name, tint, isHuman, size = "" }) => html`
	<span class=${`avatar ${tint.class} ${size}`} style=${tint.style} aria-hidden="true">
		${isHuman ? html`<${Icon} name="person" />` : initials(name)}
	</span>
`;

export const Face = ({ live, id }) => {
	const one = live.person(id);
	return html`<${Avatar} name=${one.name} tint=${tintOf(live, id)} isHuman=${one.model === "human"} />`;
};

export const Stance = ({ stance }) =>
	stance && stance !== "none" ? html`<span class=${`stance ${stance}`}>${stance}</span>` : null;

// The browser's own dialog: it keeps the focus inside, and Escape closes it.
export function Dialog({ title, onClose, children, wide }) {
	const box = useRef(null);
	useEffect(() => {
		box.current?.showModal();
	}, []);
	return html`
		<dialog
			class=${wide ? "dialog wide" : "dialog"}
			ref=${box}
			onClose=${onClose}
			aria-label=${title}
			onClick=${(event) => {
				if (event.target === box.current) box.current.close();
			}}
		>
			<div class="dialog-in">
				<header>
					<h2>${title}</h2>
					<button class="button quiet icon-only" aria-label="Close" onClick=${() => box.current.close()}>
						<${Icon} name="close" />
					</button>
				</header>
				${children}
			</div>
		</dialog>
	`;
}

// A button that opens a short list of things to do.
export function Menu({ label, icon = "dots", items, text }) {
	const box = useRef(null);
	const close = () => {
		box.current.open = false;
	};
	const onKey = (event) => {
		if (event.key === "Escape") {
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
	const onBlur = (event) => {
		if (!box.current.contains(event.relatedTarget)) close();
	};
	return html`
		<details class="menu" ref=${box} onKeyDown=${onKey} onfocusout=${onBlur}>
			<summary class=${`button ${text ? "small" : "quiet icon-only"}`} aria-label=${label} aria-haspopup="menu">
				<${Icon} name=${icon} />
				${text && html`<span>${text}</span>`}
			</summary>
			<div class="menu-list" role="menu">
				${items.filter(Boolean).map(
					(item) => html`
						<button
							role="menuitem"
							tabindex="-1"
							onClick=${() => {
								close();
								item.run();
							}}
						>
							${item.icon && html`<${Icon} name=${item.icon} />`}
							<span>${item.name}</span>
						</button>
					`,
				)}
			</div>
		</details>
	`;
}

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
				<rect class="rail" width="100" height="4" />
				<rect class="fill" width=${100 * share} height="4" />
			</svg>
		</div>
	`;
};

export async function copy(text) {
	try {
		await navigator.clipboard.writeText(text);
		return true;
	} catch {
		/* not everywhere allowed */
	}
	const area = Object.assign(document.createElement("textarea"), { value: text, className: "unseen" });
	document.body.append(area);
	area.select();
	const done = document.execCommand("copy");
	area.remove();
	return done;
}

// Seconds until then, counted down; at most `most`, should the clocks differ.
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
