// Names as they are typed: `@ch` offers Charlie. A combobox, as the ARIA practices describe it.
import { html, useLayoutEffect, useRef, useState } from "../lib/ui.js";
import { FaceOf } from "../parts/bits.js";

const MOST = 8;
const BEGUN = /(?:^|[\s([{<>"',;:!?*~|])@([\p{L}\p{N}_-]{0,40})$/u;

// Who may be meant by the text before `caret`, and where the name begins; null if nobody is.
export function mentionAt(text, caret, people) {
	const found = BEGUN.exec(text.slice(Math.max(0, caret - 60), caret));
	if (!found) return null;
	const begun = found[1].toLowerCase();
	const fits = people.filter(
		(one) =>
			one.name
				.toLowerCase()
				.split(/[\s-]+/)
				.some((word) => word.startsWith(begun)) || one.name.toLowerCase().startsWith(begun),
	);
	return fits.length ? { start: caret - found[1].length, end: caret, options: fits.slice(0, MOST) } : null;
}

export function useMentions({ live, field, change }) {
	const [open, setOpen] = useState(null);
	const caret = useRef(null);
	const close = () => setOpen(null);
	const look = (target) => {
		const found = mentionAt(target.value, target.selectionStart, [...live.state.participants.values()]);
		setOpen(found && { ...found, at: 0 });
	};
	const pick = (one) => {
		const text = field.current.value;
		const after = text.slice(open.end);
		change(`${text.slice(0, open.start)}${one.name}${/^\s/.test(after) ? "" : " "}${after}`);
		caret.current = open.start + one.name.length + 1;
		close();
	};
	// In a layout effect, so that it is done before the next key, however fast that comes.
	useLayoutEffect(() => {
		if (caret.current === null) return;
		field.current.focus();
		field.current.setSelectionRange(caret.current, caret.current);
		caret.current = null;
	});
	const KEYS = {
		ArrowDown: () => setOpen({ ...open, at: (open.at + 1) % open.options.length }),
		ArrowUp: () => setOpen({ ...open, at: (open.at + open.options.length - 1) % open.options.length }),
		Enter: () => pick(open.options[open.at]),
		Tab: () => pick(open.options[open.at]),
		Escape: close,
	};
	const onKey = (event) => {
		if (!open || !KEYS[event.key] || event.shiftKey || event.isComposing) return false;
		event.preventDefault();
		event.stopPropagation();
		KEYS[event.key]();
		return true;
	};
	const aria = {
		role: "combobox",
		"aria-autocomplete": "list",
		"aria-haspopup": "listbox",
		"aria-expanded": open ? "true" : "false",
		"aria-controls": open ? "mentions" : undefined,
		"aria-activedescendant": open ? `mention-${open.at}` : undefined,
	};
	const list =
		open &&
		html`
			<ul class="mentions" id="mentions" role="listbox" aria-label="Members">
				${open.options.map(
					(one, n) => html`
						<li
							key=${one.id}
							id=${`mention-${n}`}
							role="option"
							aria-selected=${n === open.at}
							onMouseDown=${(event) => {
								event.preventDefault();
								pick(one);
							}}
						>
							<${FaceOf} live=${live} id=${one.id} size="s" />
							<b>${one.name}</b>
							${one.title && html`<span class="hint">${one.title}</span>`}
						</li>
					`,
				)}
			</ul>
		`;
	return { list, aria, onKey, look, close };
}
