// The debates that come with Moot, by format. One opens in the form, where all of it can be changed.
import { html, useEffect, useState } from "../lib/ui.js";
import { once } from "../lib/api.js";
import { FIRST, formatOf } from "../lib/formats.js";
import { plural, Words } from "../lib/words.js";
import { Glyph } from "./icons.js";
import { Faces } from "./row.js";

export function Gallery({ isWanted }) {
	const [files, setFiles] = useState(null);
	useEffect(() => {
		once("/api/debate-files").then(
			(page) => setFiles(page.items),
			() => setFiles([]),
		);
	}, []);
	useEffect(() => {
		if (!isWanted || !files) return;
		document.getElementById("examples")?.scrollIntoView();
		document.getElementById("examples")?.focus({ preventScroll: true });
	}, [isWanted, files]);
	if (!files?.length) return files ? null : html`<div class="bone block"></div>`;
	const of = (id) => files.filter((one) => (FIRST.includes(one.format) ? one.format === id : id === "other"));
	const shelf = (id, name = formatOf(id).name, hint = formatOf(id).asks) => html`
		<section class="shelf">
			<header>
				<${Glyph} format=${id} />
				<h3>${name}</h3>
				<span class="hint">${hint}</span>
			</header>
			<ul class="tiles">${of(id).map((one) => html`<${Tile} key=${one.name} file=${one} />`)}</ul>
		</section>
	`;
	return html`
		<section id="examples" tabindex="-1" aria-labelledby="examples-head">
			<div class="section-head">
				<h2 id="examples-head">Ready to start</h2>
				<p class="hint">
					${plural(files.length, "debate")} that come with Moot. Open one, change what you like, and start it.
				</p>
			</div>
			<div class="gallery">
				${shelf("duel")}
				<div class="shelves">${shelf("council")} ${shelf("room")}</div>
				${shelf("other", "Panels and other formats", "Hear every voice.")}
			</div>
		</section>
	`;
}

const Tile = ({ file }) => html`
	<li>
		<a class="tile" href=${`/new#file=${encodeURIComponent(file.name)}`}>
			<b>${file.topic}</b>
			<span class="foot">
				<${Faces} row=${file} most=${4} size="s" />
				${!FIRST.includes(file.format) && Words(file.format)}
			</span>
		</a>
	</li>
`;
