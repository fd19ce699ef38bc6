// Addresses of the page. `path`, `asked` (behind `?`) and `hash` change without a reload.
import { batch, signal } from "./ui.js";

export const path = signal(location.pathname);
export const asked = signal(location.search);
export const hash = signal(location.hash);

const settle = () =>
	batch(() => {
		path.value = location.pathname;
		asked.value = location.search;
		hash.value = location.hash;
	});
addEventListener("popstate", settle);
addEventListener("hashchange", settle);

export function go(address, { replace = false } = {}) {
	history[replace ? "replaceState" : "pushState"](null, "", address);
	const before = path.value;
	settle();
	if (before !== path.value) {
		scrollTo(0, 0);
		document.getElementById("main")?.focus({ preventScroll: true });
	}
}

// Links to ourselves stay in the page; everything else is the browser's.
addEventListener("click", (event) => {
	const anchor = event.target.closest?.("a[href]");
	if (
		!anchor ||
		event.defaultPrevented ||
		event.button ||
		event.metaKey ||
		event.ctrlKey ||
		event.shiftKey ||
		event.altKey
	)
		return;
	if (
		anchor.origin !== location.origin ||
		anchor.target ||
		anchor.hasAttribute("download") ||
		/^\/(api|static)\//.test(anchor.pathname)
	)
		return;
	event.preventDefault();
	go(anchor.pathname + anchor.search + anchor.hash);
});
