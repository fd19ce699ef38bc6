// Notifications of the browser, for those who ask for them: whose turn it is, and that a debate is over.
import { preference } from "./keep.js";
import { say } from "./toasts.js";

const wanted = preference("notify", false);

export const canNotify = () => "Notification" in globalThis && Notification.permission !== "denied";
export const isNotifying = () => wanted.value && canNotify() && Notification.permission === "granted";

export async function toggleNotifying() {
	if (isNotifying()) wanted.value = false;
	else wanted.value = (await Notification.requestPermission()) === "granted";
	say(wanted.value ? "You are notified of your turn and of the end." : "No notifications.");
}

// Nobody is notified of what they are looking at.
export function notify(title, body, tag) {
	if (!isNotifying() || !document.hidden) return;
	const note = new Notification(title, { body, tag, icon: "/static/icon.svg" });
	note.addEventListener("click", () => {
		globalThis.focus();
		note.close();
	});
}
