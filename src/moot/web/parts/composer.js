// Where people speak without having been asked, in formats that allow it.
import { html, useRef, useState } from "../lib/ui.js";
import { draft } from "../lib/keep.js";

export function Composer({ live }) {
	const where = draft(`${live.id}.say`);
	const [text, setText] = useState(where.get());
	const [isBusy, setBusy] = useState(false);
	const field = useRef(null);
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
		<form class="interject" onSubmit=${send}>
			<label class="unseen" for="say">Say something</label>
			<textarea
				class="input"
				id="say"
				ref=${field}
				rows="1"
				maxlength="20000"
				placeholder="Say something to all of them"
				value=${text}
				onInput=${(event) => change(event.target.value)}
				onKeyDown=${onKey}
			></textarea>
			<button class="btn small" disabled=${isBusy || !text.trim()}>Send</button>
		</form>
	`;
}
