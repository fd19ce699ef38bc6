// Keys of a page, and the dialog that lists them. They do nothing while somebody types or a dialog is open.
import { html, useLayoutEffect, useRef, useState } from "../lib/ui.js";
import { go } from "../lib/route.js";
import { Dialog, Facts } from "./bits.js";

const EVERYWHERE = {
	"/": ["Search debates", () => go("/#find")],
	n: ["Start a new debate", () => go("/new")],
};
// What is in a dialog keeps the focus for a moment after it was closed: then a key is meant for the page.
function isTyping({ target }) {
	const dialog = target.closest?.("dialog");
	if (dialog) return dialog.open;
	return /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName) || target.isContentEditable;
}

// `keys` is {key: [what it does, function]}; `first(event)` can take a key before them, and then returns true.
// Draw what is returned: it is the dialog, while that is open.
export function useKeys(keys, first) {
	const [isOpen, setOpen] = useState(false);
	const all = { ...EVERYWHERE, ...keys, "?": ["Show these keys", () => setOpen(true)] };
	const latest = useRef(null);
	latest.current = { all, first };
	// Before it is painted: a key that somebody presses as soon as they see the page must not be lost.
	useLayoutEffect(() => {
		const onKey = (event) => {
			if (event.defaultPrevented || event.altKey || isTyping(event)) return;
			const isTaken = latest.current.first?.(event);
			const own = !event.ctrlKey && !event.metaKey && latest.current.all[event.key];
			if (!isTaken && own) own[1](event);
			if (isTaken || own) event.preventDefault();
		};
		addEventListener("keydown", onKey);
		return () => removeEventListener("keydown", onKey);
	}, []);
	return (
		isOpen &&
		html`
			<${Dialog} title="Keys" onClose=${() => setOpen(false)}>
				<${Facts} rows=${Object.entries(all).map(([key, [told]]) => [told, html`<kbd>${key}</kbd>`])} />
			<//>
		`
	);
}
