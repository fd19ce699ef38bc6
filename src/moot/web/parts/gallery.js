// What comes with Moot: finished samples to look at, debates that are ready to start, and a way to import others.
import { html, useEffect, useRef, useState } from "../lib/ui.js";
import { once, post, upload } from "../lib/api.js";
import { FIRST, formatOf } from "../lib/formats.js";
import { go } from "../lib/route.js";
import { say } from "../lib/toasts.js";
import { plural, Words } from "../lib/words.js";
import { Icon, Glyph } from "./icons.js";
import { Faces } from "./row.js";

const LARGEST = 8_000_000; // bytes, as the server has it

const useList = (path) => {
	const [items, setItems] = useState(null);
	useEffect(() => {
		once(path).then(
			(page) => setItems(page.items),
			() => setItems([]),
		);
	}, []);
	return items;
};

export function Gallery({ isWanted }) {
	const files = useList("/api/debate-files");
	const samples = useList("/api/samples");
	const isThere = files && samples;
	useEffect(() => {
		if (!isWanted || !isThere) return;
		document.getElementById("examples")?.scrollIntoView();
		document.getElementById("examples")?.focus({ preventScroll: true });
	}, [isWanted, Boolean(isThere)]);
	if (!isThere) return html`<div class="bone block"></div>`;
	return html`
		<section id="examples" tabindex="-1" aria-label="Examples">
			${samples.length > 0 && html`<${Samples} samples=${samples} hasAll=${isWanted} />`}
			${files.length > 0 && html`<${Shelves} files=${files} />`}
		</section>
	`;
}

// --- finished ones --------------------------------------------------------------------------------

function Samples({ samples, hasAll }) {
	const [isWide, setWide] = useState(false);
	const first = samples.filter((one) => FIRST.includes(one.format));
	const some = first.toSorted((a, b) => FIRST.indexOf(a.format) - FIRST.indexOf(b.format));
	const shown = hasAll || isWide ? [...some, ...samples.filter((one) => !first.includes(one))] : some;
	return html`
		<div class="section-head">
			<h2>See how one ends</h2>
			<p class="hint">
				Finished debates, to look at before you start your own. We wrote them: no model said any of it.
			</p>
			<${Import} />
		</div>
		<ul class="tiles three">${shown.map((one) => html`<${Sample} key=${one.name} sample=${one} />`)}</ul>
		${
			shown.length < samples.length &&
			html`
				<button class="btn quiet small more-samples" onClick=${() => setWide(true)}>
					Show ${plural(samples.length - shown.length, "other format")}
				</button>
			`
		}
	`;
}

// Opening a sample puts it among the debates, like any other.
function Sample({ sample: { name, format, topic, gist, statements, cast, cast_size } }) {
	const [isBusy, setBusy] = useState(false);
	const open = async () => {
		setBusy(true);
		try {
			go(`/debates/${(await post(`/api/samples/${encodeURIComponent(name)}`)).id}`);
		} catch (problem) {
			setBusy(false);
			say(problem.detail, { kind: "bad" });
		}
	};
	return html`
		<li>
			<button class="tile sample" onClick=${open} disabled=${isBusy}>
				<b>${topic}</b>
				<span class="foot">
					<${Faces} row=${{ cast, cast_size }} most=${3} size="s" />
					<span class="gist">${gist || plural(statements, "message")}</span>
				</span>
				<small>${formatOf(format).nick} · Written by us</small>
			</button>
		</li>
	`;
}

function Import() {
	const input = useRef(null);
	const take = async () => {
		const [file] = input.current.files;
		input.current.value = ""; // so that the same file can be chosen again
		if (!file) return;
		if (file.size > LARGEST) return say("That file is larger than 8 MB, and no debate is.", { kind: "bad" });
		try {
			const made = await upload("/api/imports", file);
			go(`/debates/${made.id}`);
		} catch (problem) {
			say(`${file.name} was not imported. ${problem.detail}`, { kind: "bad" });
		}
	};
	return html`
		<button class="btn small" onClick=${() => input.current.click()}>
			<${Icon} name="file" small /><span>Import a debate</span>
		</button>
		<input
			ref=${input}
			type="file"
			accept=".jsonl,application/x-ndjson"
			hidden
			onChange=${take}
			aria-label="A debate that was exported as a log"
		/>
	`;
}

// --- set-ups --------------------------------------------------------------------------------------

// The shipped debates, by format. Each opens in the form, where everything can be changed.
function Shelves({ files }) {
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
		<section aria-labelledby="examples-head">
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
