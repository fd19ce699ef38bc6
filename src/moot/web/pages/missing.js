import { html } from "../lib/ui.js";

export const Missing = ({ what = "page", detail }) => html`
	<div class="empty">
		<h1>There is no such ${what}</h1>
		<p>${detail ?? "The address may be mistyped, or what was here has been deleted."}</p>
		<a class="btn primary" href="/">All debates</a>
	</div>
`;
