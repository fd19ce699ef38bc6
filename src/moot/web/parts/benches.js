// What benches said that were asked about a debate, and what people say, below its outcome. Most debates have been
// before none, and their menu asks people.
import { html } from "../lib/ui.js";
import { fetched } from "../lib/fetched.js";

const Bench = fetched(
	() => import("./bench.js").then((module) => module.Bench),
	() => null,
);

// A hearing has its own as its outcome.
export function Benches({ live, open }) {
	const { certificate, hearings, hears, labels } = live.view.value ?? {};
	const isSaid = certificate || hearings?.length > 0 || labels?.length > 0;
	return isSaid && !hears && html`<${Bench} live=${live} open=${open} />`;
}
