// Nothing is at this address: what was looked for, what may have happened, and what can be done instead.
import { html, useEffect } from "../lib/ui.js";
import { path } from "../lib/route.js";
import { Finder } from "../parts/finder.js";
import { Icon } from "../parts/icons.js";

const GONE = "It may have been deleted, or the link was cut short.";
const MISTYPED = "The address may be mistyped, or the link was cut short.";

// What somebody probably meant by an address below a page that has nothing below it.
const NEAR = [
	[
		/^\/personas\/(.+)/,
		(name) => html`Personas are all on one page: <a href="/personas">look for “${name}” there</a>.`,
	],
	[/^\/panels\/(.+)/, (name) => html`Panels are all on one page: <a href="/panels">look for “${name}” there</a>.`],
	[/^\/models\/(.+)/, (name) => html`Models are all on one page: <a href="/models">look for “${name}” there</a>.`],
];

function near() {
	for (const [pattern, tell] of NEAR) {
		const [, name] = pattern.exec(path.value) ?? [];
		if (!name) continue;
		try {
			return tell(decodeURIComponent(name));
		} catch {
			return tell(name); // a per cent sign that means nothing
		}
	}
	return null;
}

// `detail` is why the server cannot show something that may well be there.
export function NothingHere({ what = "page", detail }) {
	useEffect(() => {
		document.title = "Not found · Moot";
		return () => {
			document.title = "Moot";
		};
	}, []);
	return html`
		<div class="nothing">
			<h1>${detail ? `This ${what} cannot be shown` : `There is no ${what} at this address`}</h1>
			<p>
				${detail ? html`<span class="error">${detail}</span>` : html`<code>${path.value}</code>`}
				${!detail && html`<br />${what === "debate" ? GONE : MISTYPED}`} ${near()}
			</p>
			<p class="actions">
				<a class="btn primary" href="/new"><${Icon} name="plus" /><span>New debate</span></a>
				<a class="btn" href="/">All debates</a>
			</p>
			<${Finder} title="Look for a debate" to=${(row) => `/debates/${row.id}`} />
		</div>
	`;
}
