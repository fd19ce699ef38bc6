// That the embedded model is a toy, and how to connect a better one: said where it is used, until it was read.
import { html, useEffect, useState } from "../lib/ui.js";
import { get } from "../lib/api.js";
import { preference } from "../lib/keep.js";
import { Icon } from "./icons.js";

const isRead = preference("toy-notice-read", false);

export function ToyNotice({ models }) {
	const [text, setText] = useState("");
	const isWanted = !isRead.value && models.some((name) => name.startsWith("local:"));
	useEffect(() => {
		if (isWanted)
			get("/api/models").then(
				(page) => setText(page.toy_notice),
				() => {},
			);
	}, [isWanted]);
	if (!isWanted || !text) return null;
	return html`
		<div class="notice toy" role="note">
			<span>
				${text.split("`").map((part, at) => (at % 2 ? html`<code>${part}</code>` : part))}
				${" "}
				<a href="/models">Models</a>
			</span>
			<button
				type="button"
				class="button quiet icon-only"
				aria-label="Do not say this again"
				onClick=${() => {
					isRead.value = true;
				}}
			>
				<${Icon} name="close" />
			</button>
		</div>
	`;
}
