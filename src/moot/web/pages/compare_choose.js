// Which debate to set beside another: those that came of it or that it came of first, then those of its format.
import { html, useEffect, useState } from "../lib/ui.js";
import { get } from "../lib/api.js";
import { Words } from "../lib/words.js";
import { Finder } from "../parts/finder.js";
import { Notice } from "../parts/bits.js";
import { Missing } from "./missing.js";

const LOOKED_AT = 200;
const MOST = 20;

export function Choose({ id, isSame }) {
	const [view, setView] = useState(null);
	const [origin, setOrigin] = useState(null);
	const [problem, setProblem] = useState(null);
	useEffect(() => {
		(async () => {
			try {
				const found = await get(`/api/debates/${id}`);
				setView(found);
				const from = found.forked_from?.debate || found.rematch_of;
				if (from) setOrigin(await get(`/api/debates/${from}`).catch(() => null)); // it may be deleted
			} catch (refused) {
				setProblem(refused);
			}
		})();
	}, [id]);
	if (problem) return html`<${Missing} what="debate" detail=${problem.status === 404 ? undefined : problem.detail} />`;
	if (!view) return html`<h1 class="unseen">Side by side</h1><div class="bone block later"></div>`;
	const isKin = (row) =>
		row.id === origin?.id ||
		[row.rematch_of, row.forked_from].some((from) => from && (from === id || from === origin?.id));
	const kinship = (row) => {
		if (row.id === origin?.id) return view.rematch_of ? "the original of this rematch" : "the original of this fork";
		if (row.rematch_of) return "rematch";
		return row.forked_from ? "fork" : "";
	};
	const groups = (rows, asked) => {
		const isThere = !origin || asked || rows.some((row) => row.id === origin.id);
		const all = isThere ? rows : [{ ...origin, gist: origin.headline }, ...rows];
		const kin = all.filter(isKin);
		const others = all.filter((row) => !isKin(row));
		const alike = others.filter((row) => row.format === view.format);
		return [
			["Rematches and forks", kin],
			[`Others with the format ${Words(view.format).toLowerCase()}`, alike.slice(0, MOST)],
			["Other formats", others.filter((row) => row.format !== view.format).slice(0, MOST)],
		];
	};
	return html`
		<div class="nothing">
			<h1 dir="auto">Compare “${view.title || view.topic}”</h1>
			${isSame && html`<${Notice} icon="swap">That is the same debate twice. Choose another.<//>`}
			<${Finder}
				title="With which debate?"
				limit=${LOOKED_AT}
				groups=${groups}
				note=${(row) => isKin(row) && kinship(row)}
				to=${(row) => (row.id === id ? "" : `/debates/${id}/with/${row.id}`)}
			/>
			<p><a href=${`/debates/${id}`}>Back to the debate</a></p>
		</div>
	`;
}
