// The debates that come with Moot, by format. One opens in the form, where all of it can be changed.
import { html, useEffect, useState } from "../lib/ui.js";
import { get, once } from "../lib/api.js";
import { FIRST, formatOf } from "../lib/formats.js";
import { plural, Words } from "../lib/words.js";
import { Face } from "./bits.js";
import { Glyph } from "./icons.js";

const MOST_FACES = 4;

export function Gallery() {
	const [files, setFiles] = useState(null);
	const [people, setPeople] = useState([]);
	useEffect(() => {
		once("/api/debate-files").then(
			(page) => setFiles(page.items),
			() => setFiles([]),
		);
		get("/api/personas").then(
			(page) => setPeople(page.items),
			() => {},
		);
	}, []);
	if (!files?.length) return files ? null : html`<div class="bone block"></div>`;
	const shelf = (formats, name, hint) => {
		const all = files.filter((one) => formats.includes(one.format));
		return (
			all.length > 0 &&
			html`
				<section class="shelf">
					<header>
						<${Glyph} format=${formats[0]} />
						<h3>${name}</h3>
						<span class="hint">${hint}</span>
					</header>
					<ul class="tiles">
						${all.map((one) => html`<${Tile} key=${one.name} file=${one} people=${people} isMixed=${formats.length > 1} />`)}
					</ul>
				</section>
			`
		);
	};
	const own = (id) => shelf([id], formatOf(id).name, formatOf(id).ask);
	const rest = [...new Set(files.map((one) => one.format))].filter((id) => !FIRST.includes(id));
	return html`
		<section id="examples" tabindex="-1" aria-labelledby="examples-head">
			<div class="section-head">
				<h2 id="examples-head">Ready to start</h2>
				<p class="hint">
					${plural(files.length, "debate")} that come with Moot. Open one, change what you like, and start it.
				</p>
			</div>
			<div class="gallery">
				${own("duel")}
				<div class="shelves">${own("council")} ${own("room")}</div>
				${rest.length > 0 && shelf(rest, "Panels and other formats", "Hear every voice.")}
			</div>
		</section>
	`;
}

// Who is written out in the file; where sides are drawn from, the first of each.
function facesOf(file, people) {
	const all = people.filter((one) => one.origin === file.name && one.role !== "judge");
	if (formatOf(file.format).isPair)
		return all.length > 1
			? [
					[all[0], "for"],
					[all.at(-1), "against"],
				]
			: [];
	return all.slice(0, MOST_FACES).map((one, n) => [one, one.role === "moderator" ? "judge" : `m${n}`]);
}

function Tile({ file, people, isMixed }) {
	const faces = facesOf(file, people);
	return html`
		<li>
			<a class="tile" href=${`/new?file=${encodeURIComponent(file.name)}`}>
				<b>${file.topic}</b>
				<span class="foot">
					<span class="faces">${faces.map(([one, tone]) => html`<${Face} name=${one.name} tone=${tone} size="s" />`)}</span>
					${isMixed && Words(file.format)}
				</span>
			</a>
		</li>
	`;
}
