// What benches and people said about a debate, below its outcome. Most debates have been before no bench; people are
// then asked in the menu.
import { html } from "../lib/ui.js";
import { fetched } from "../lib/fetched.js";

const Bench = fetched(
	() => import("./bench.js").then((module) => module.Bench),
	() => null,
);

// A hearing shows its certificate as its outcome.
export function Benches({ live, open }) {
	const { certificate, hearings, hears, labels } = live.view.value ?? {};
	const isSaid = certificate || hearings?.length > 0 || labels?.length > 0;
	return isSaid && !hears && html`<${Bench} live=${live} open=${open} />`;
}
