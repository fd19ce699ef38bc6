// Says that the embedded model is a toy, and how to connect a better one, where it is used, until somebody has read it.
import { html, useEffect, useState } from "../lib/ui.js";
import { get } from "../lib/api.js";
import { preference } from "../lib/keep.js";
import { models as found, modelOf, useModel } from "../lib/composing.js";
import { bare, full, isToy, listed, provider } from "../lib/models.js";
import { plural } from "../lib/words.js";
import { Do } from "./fields.js";
import { Icon } from "./icons.js";

const isRead = preference("toy-notice-read", false);

export function ToyNotice({ models }) {
	const [text, setText] = useState("");
	const isWanted = !isRead.value && models.some(isToy);
	useEffect(() => {
		if (isWanted)
			get("/api/models").then(
				(page) => setText(page.toy_notice),
				() => {},
			);
	}, [isWanted]);
	if (!isWanted || !text) return null;
	return html`
		<div class="notice gold" role="note">
			<${Icon} name="bulb" />
			<p>
				${text.split("`").map((part, at) => (at % 2 ? html`<code>${part}</code>` : part))}
				${" "}
				<a href="/models">Models</a>
			</p>
			<button
				type="button"
				class="btn quiet icon small"
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

// On the start page: the models found on this computer, as buttons, and the variable for a provider's key.
export function Connect({ isFirst }) {
	const page = found.value;
	if (!page || !isToy(modelOf()) || (isRead.value && !isFirst)) return null;
	const here = page.items.filter((row) => row.is_usable && row.models.length);
	const absent = page.items
		.filter((row) => row.reason.startsWith("nothing answers"))
		.map((row) => provider(row.provider));
	const variable = page.items.map((row) => row.reason.match(/^set (\w+_API_KEY)\b/)?.[1]).find(Boolean);
	const ready = page.items.filter(
		(row) => row.is_usable && !row.models.length && row.default_model && row.provider !== "local",
	);
	const button = (name) => html`
		<${Do} onClick=${() => useModel(name)}>Use ${bare(name)}<//>
	`;
	return html`
		<details class="toy home-box" open=${isFirst}>
			<summary class="notice gold">
				<${Icon} name="bulb" />
				<p>
					<b>You are using the built-in model, which is a toy.</b> It shows how Moot works; it cannot argue well.
				</p>
				<span class="btn small">Connect a real model</span>
			</summary>
			<div class="connect">
				<section>
					<h2>On this computer</h2>
					${here.map(
						(row) => html`
							<p>${provider(row.provider)} is running, with ${plural(row.models.length, "model")}.</p>
							<p class="actions">${row.models.slice(0, 6).map((name) => button(full(row, name)))}</p>
						`,
					)}
					${here.length === 0 && html`<p>No server with models was found. Start one and load this page again.</p>`}
					${absent.length > 0 && html`<p class="hint">Not found: ${listed(absent)}.</p>`}
				</section>
				<section>
					<h2>From a provider</h2>
					${
						ready.length > 0 &&
						html`
							<p>Ready, because a key is set:</p>
							<p class="actions">${ready.map((row) => button(row.default_model))}</p>
						`
					}
					${
						variable &&
						html`
							<p>Set its key where you start Moot, then start Moot again. The page never asks for a key.</p>
							<pre tabindex="0" aria-label="What to type"><code>export ${variable}=…</code></pre>
						`
					}
					<p class="hint"><a href="/models">The variable of every provider</a></p>
				</section>
			</div>
		</details>
	`;
}
