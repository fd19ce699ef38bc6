// The page: a shell around one of the pages, chosen by the address. A new page is one row here.
import { html, render, useErrorBoundary } from "./lib/ui.js";
import { keepPresses } from "./lib/press.js";
import { path } from "./lib/route.js";
import { Shell } from "./parts/shell.js";
import { Home } from "./pages/home.js";
import { NewDebate } from "./pages/new.js";
import { DebatePage } from "./pages/debate.js";
import { Missing } from "./pages/missing.js";
import { fetched, styled } from "./lib/fetched.js";

const ROUTES = [
	[/^\/$/, Home],
	[/^\/new$/, NewDebate],
	[/^\/debates\/([0-9a-z]{1,64})$/, DebatePage],
	[
		/^\/debates\/([0-9a-z]{1,64})\/with(?:\/([0-9a-z]{1,64}))?$/,
		fetched(() => Promise.all([import("./pages/compare.js"), styled("compare")]).then(([module]) => module.Compare)),
	],
	[/^\/personas$/, fetched(() => import("./pages/personas.js").then((module) => module.Personas))],
	[/^\/panels$/, fetched(() => import("./pages/panels.js").then((module) => module.Panels))],
	[/^\/models$/, fetched(() => import("./pages/models.js").then((module) => module.Models))],
	[/^\/judges$/, fetched(() => import("./pages/judges.js").then((module) => module.Judges))],
];

function Page() {
	for (const [pattern, Component] of ROUTES) {
		const found = pattern.exec(path.value);
		if (found) return html`<${Component} key=${found[0]} id=${found[1]} other=${found[2]} />`;
	}
	return html`<${Missing} />`;
}

function App() {
	const [error, reset] = useErrorBoundary((broken) => console.error(broken));
	return html`
		<${Shell}>
			${
				error
					? html`
						<div class="empty" role="alert">
							<h1>This page broke</h1>
							<p>
								The debate itself is safe on the server. What went wrong:${" "}
								<code>${String(error.message ?? error)}</code>
							</p>
							<button class="btn primary" onClick=${reset}>Try again</button>
						</div>
					`
					: html`<${Page} />`
			}
		<//>
	`;
}

keepPresses();
const root = document.getElementById("app");
root.textContent = "";
render(html`<${App} />`, root);
