// A new debate, with the whole form open; `#file=` or `?file=` begins with one that is shipped, `panel=` with a panel.
import { html, useEffect } from "../lib/ui.js";
import { hash } from "../lib/route.js";
import { Ask } from "../parts/ask.js";

export function NewDebate() {
	useEffect(() => {
		document.title = "New debate · Moot";
		return () => {
			document.title = "Moot";
		};
	}, []);
	const given = new URLSearchParams(hash.value.slice(1) || location.search);
	const [file, panel] = ["file", "panel"].map((name) => given.get(name) ?? "");
	return html`
		<h1 class="unseen">New debate</h1>
		<${Ask} key=${file + panel} file=${file} panel=${panel} class="home-box" />
	`;
}
