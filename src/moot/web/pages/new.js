// A new debate, with the whole form open; `?file=` begins with one that is shipped.
import { html, useEffect } from "../lib/ui.js";
import { Ask } from "../parts/ask.js";

export function NewDebate() {
	useEffect(() => {
		document.title = "New debate · Moot";
		return () => {
			document.title = "Moot";
		};
	}, []);
	const file = new URLSearchParams(location.search).get("file") ?? "";
	return html`
		<h1 class="unseen">New debate</h1>
		<${Ask} file=${file} class="home-box" />
	`;
}
