// Fetches what is seldom needed, when it is needed.
import { html, signal } from "./ui.js";

const AGAIN_MS = 1000;
const Bones = () => html`<div class="bone block later"></div><div class="bone block"></div>`;

// A component in place of the one that `fetch` brings. Until that one is there, `Meanwhile` is shown, and `fetch` is
// tried again and again: the server may be restarting.
export function fetched(fetch, Meanwhile = Bones) {
	const component = signal(null);
	let isAsked = false;
	const ask = () =>
		fetch().then(
			(found) => {
				component.value = found;
			},
			() => setTimeout(ask, AGAIN_MS),
		);
	return (props) => {
		if (!isAsked) ask();
		isAsked = true;
		const Found = component.value;
		return Found ? html`<${Found} ...${props} />` : html`<${Meanwhile} />`;
	};
}

// Loads a style sheet that only such a page needs; resolves once it applies.
export function styled(name) {
	const sheet = Object.assign(document.createElement("link"), { rel: "stylesheet", href: `/static/css/${name}.css` });
	return new Promise((done, failed) => {
		sheet.addEventListener("load", done);
		sheet.addEventListener("error", () => {
			sheet.remove();
			failed(new Error(name));
		});
		document.head.append(sheet);
	});
}
