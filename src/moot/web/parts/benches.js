// What benches said that were asked about a debate, below its outcome. Most debates have been before none.
import { html } from "../lib/ui.js";
import { fetched } from "../lib/fetched.js";

const Bench = fetched(
	() => import("./bench.js").then((module) => module.Bench),
	() => null,
);

// A hearing has its own as its outcome.
export function Benches({ live }) {
	const { certificate, hearings, hears } = live.view.value ?? {};
	return (certificate || hearings?.length > 0) && !hears && html`<${Bench} live=${live} />`;
}
