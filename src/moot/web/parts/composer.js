// Where people speak without having been asked, in formats that allow it.
import { html, useRef, useState } from "../lib/ui.js";
import { draft } from "../lib/keep.js";

export function Composer({ live, children }) {
	const where = draft(`${live.id}.say`);
	const [text, setText] = useState(where.get());
	const [isBusy, setBusy] = useState(false);
	const field = useRef(null);
	if (!live.view.value?.allows?.includes("say")) return null;
	const change = (now) => {
		setText(now);
		where.set(now);
	};
	const send = async (event) => {
		event.preventDefault();
		if (!text.trim() || isBusy) return;
		setBusy(true);
		if (await live.send("POST", "/messages", { content: text })) change("");
		setBusy(false);
		field.current?.focus();
	};
	const onKey = (event) => {
		if (event.key === "Enter" && !event.shiftKey && !event.isComposing) send(event);
	};
	return html`
		<form class="composer" onSubmit=${send}>
			${children}
			<label class="unseen" for="say">Say something</label>
			<textarea
				id="say"
				ref=${field}
				rows="1"
				maxlength="20000"
				placeholder="Say something to all of them"
				value=${text}
				onInput=${(event) => change(event.target.value)}
				onKeyDown=${onKey}
			></textarea>
			<button class="button primary" disabled=${isBusy || !text.trim()}>Send</button>
		</form>
	`;
}
