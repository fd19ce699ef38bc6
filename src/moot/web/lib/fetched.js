// What is not needed often, fetched when it is.
import { html, signal } from "./ui.js";

const AGAIN_MS = 1000;
const Bones = () => html`<div class="bone block later"></div><div class="bone block"></div>`;

// A component in place of the one that `fetch` brings. Until that is there, `Meanwhile` is shown, and it is asked for
// again and again: the server may be starting anew.
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

// A style sheet that only such a page needs; there when it is drawn.
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
