// Short messages at the edge of the page, read out by screen readers.
import { signal } from "./ui.js";

export const toasts = signal([]);
let number = 0;

export function say(text, { kind = "plain", action = null, ms = kind === "bad" ? 9000 : 5000, onEnd = null } = {}) {
	const toast = { id: ++number, text, kind, action, onEnd };
	toasts.value = [...toasts.value.slice(-3), toast];
	toast.timer = setTimeout(() => {
		dismiss(toast.id);
		onEnd?.();
	}, ms);
	return toast;
}

export function dismiss(id) {
	const toast = toasts.value.find((one) => one.id === id);
	clearTimeout(toast?.timer);
	toasts.value = toasts.value.filter((one) => one.id !== id);
}
