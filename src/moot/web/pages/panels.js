// Panels: set-ups that can be asked; those that come with Moot, and one's own, which are saved from debates.
import { html, useEffect, useState } from "../lib/ui.js";
import { ask } from "../lib/api.js";
import { broken, load, panels, pathOf, seatedOn, unread } from "../lib/panels.js";
import { duration, money, Words } from "../lib/words.js";
import { hash } from "../lib/route.js";
import { say } from "../lib/toasts.js";
import { Dialog, Facts, stepAside } from "../parts/bits.js";
import { Glyph, Icon } from "../parts/icons.js";

const NONE_YET = "None yet. Open a debate whose set-up you liked, and choose Save as a panel in its menu.";

const edited = (name) =>
	html`To change it, run <code>moot panels edit ${name}</code>, or edit its file below <code>MOOT_HOME</code>.`;
const COPIED = html`It comes with Moot. To have one of your own like it, ask it something, and save that as a panel.`;

export function Panels() {
	const [asked, setAsked] = useState(null); // {Box, row}: the dialog that is open
	const all = panels.value;
	const wanted = decoded(hash.value.slice(1));
	useEffect(() => {
		document.title = "Panels · Moot";
		load();
		return () => {
			document.title = "Moot";
		};
	}, []);
	// A link from elsewhere leads to one panel.
	useEffect(() => {
		document.getElementById(`panel-${wanted}`)?.scrollIntoView({ block: "center" });
	}, [wanted, Boolean(all)]);
	const cards = (rows) => html`
		<ul class="cards">
			${rows.map(
				(row) => html`<${Card} key=${row.name} row=${row} isWanted=${row.name === wanted} open=${setAsked} />`,
			)}
		</ul>
	`;
	const own = all?.filter((row) => row.is_own) ?? [];
	return html`
		<div class="personas">
			<div class="page-head"><h1>Panels</h1></div>
			<p class="lead">
				A panel is a saved set-up that you can ask: who sits on it, in which format, and what one answer may cost.
			</p>
			${unread.value && html`<p class="error" role="alert">${unread.value}</p>`}
			${broken.value.map((told) => html`<p class="error" role="alert" dir="auto" key=${told}>${told}</p>`)}
			${!all && html`<div class="bone block"></div><div class="bone block"></div>`}
			${
				all &&
				!unread.value &&
				html`
					<h2>Your own</h2>
					${own.length ? cards(own) : html`<p class="hint">${NONE_YET}</p>`}
					<h2>Shipped with Moot</h2>
					${cards(all.filter((row) => !row.is_own))}
				`
			}
			${asked && html`<${asked.Box} row=${asked.row} onClose=${() => setAsked(null)} />`}
		</div>
	`;
}

function decoded(text) {
	try {
		return decodeURIComponent(text);
	} catch {
		return text; // a per cent sign that means nothing
	}
}

const Card = ({ row, isWanted, open }) => html`
	<li class=${`card persona panel ${isWanted ? "wanted" : ""}`} id=${`panel-${row.name}`}>
		<div class="persona-head">
			<${Glyph} format=${row.format} />
			<div>
				<h3>${row.name}</h3>
				<small>${Words(row.format)}${row.replaces && " · instead of the shipped one"}</small>
			</div>
		</div>
		<p dir="auto">${row.about}</p>
		<small dir="auto">${seatedOn(row)}</small>
		<div class="actions end">
			${
				row.is_own &&
				html`
					<button
						class="btn small quiet"
						aria-label=${`Delete ${row.name}`}
						onClick=${() => open({ Box: Removing, row })}
					>
						Delete
					</button>
				`
			}
			<button class="btn small quiet" aria-label=${`Show ${row.name}`} onClick=${() => open({ Box: Details, row })}>
				Show
			</button>
			<a class="btn small" aria-label=${`Ask ${row.name}`} href=${`/new#panel=${encodeURIComponent(row.name)}`}>
				<${Icon} name="play" small />
				<span>Ask</span>
			</a>
		</div>
	</li>
`;

const SWITCHES = { true: "yes", false: "no" };
const told = (value) => SWITCHES[value] ?? (value && typeof value === "object" ? JSON.stringify(value) : String(value));

function Details({ row, onClose }) {
	const { format, limits, settings, premise, turns, answer, team } = row;
	const set = { ...(turns && { turns }), ...settings };
	const facts = [
		["Format", Words(format)],
		team && ["Team", team],
		premise && ["Premise", premise],
		...Object.entries(set).map(([name, value]) => [Words(name), told(value)]),
		["Costs at most", limits.max_cost_usd == null ? "No limit" : money(limits.max_cost_usd)],
		["Runs at most", limits.max_runtime_seconds == null ? "No limit" : duration(limits.max_runtime_seconds)],
		["Answers with", `its ${answer}`],
	];
	return html`
		<${Dialog} title=${row.name} onClose=${onClose}>
			<p dir="auto">${row.about}</p>
			<p dir="auto">${seatedOn(row)}</p>
			<${Facts} rows=${facts} />
			<p class="hint">${row.is_own ? edited(row.name) : COPIED}</p>
		<//>
	`;
}

const SHOW = "[aria-label^=Show]";

function Removing({ row, onClose }) {
	const [problem, setProblem] = useState(null);
	const remove = async () => {
		const goOn = stepAside(document.getElementById(`panel-${row.name}`), SHOW, `.panel ${SHOW}`);
		try {
			await ask("DELETE", pathOf(row.name));
			await load();
			onClose();
			goOn();
			say(`${row.name} deleted`);
		} catch (refused) {
			setProblem(refused);
		}
	};
	return html`
		<${Dialog} title=${`Delete ${row.name}?`} onClose=${onClose}>
			<p>
				Its file is removed.
				${row.replaces ? " The shipped panel of that name takes its place again." : ""} Debates that it held stay.
			</p>
			${problem && html`<p class="error" role="alert">${problem.detail}</p>`}
			<div class="actions end"><button class="btn danger" onClick=${remove}>Delete it</button></div>
		<//>
	`;
}
