// One debate in the list: faces, topic, what came out in one line, format, cost and age.
import { html } from "../lib/ui.js";
import { ago, money, plural, trusted, Words, words, written } from "../lib/words.js";
import { Face, Menu, StatusPill } from "./bits.js";

const FACES = 2;
const BENCH = new Set(["judge", "moderator"]);
const TRUST = { confirmed: "good", contested: "warn", unconfirmed: "warn", unreadable: "bad", missing: "bad" };

const seat = (row, id) => row.cast?.find((one) => one.id === id);

// A debate that waits is waiting for a person; a room only when it is that person's turn.
export function isMine(row) {
	if (row.status !== "waiting") return false;
	const next = seat(row, row.cursor?.next_actor);
	return next ? next.is_person : row.format !== "room";
}

export function Row({ row, onRemove }) {
	const name = row.title || row.topic;
	const isActive = row.status === "running" || row.status === "stopping";
	const cost = row.calls > 0 ? ` · ${money(row.cost_usd)}` : "";
	return html`
		<li class="row">
			<${Faces} row=${row} />
			<div class="body">
				<h3><a href=${`/debates/${row.id}`} dir="auto">${name}</a></h3>
				<p class="result"><${Result} row=${row} /></p>
			</div>
			<p class="meta" title=${row.calls > 0 ? written(row) : undefined}>
				${Words(row.format)}${cost}
				<br />
				<time datetime=${row.updated_at}>${ago(row.updated_at)}</time>
			</p>
			<${Menu}
				label=${`More about ${name}`}
				items=${[
					{
						name: isActive ? "Delete (stop it first)" : "Delete",
						icon: "trash",
						isDanger: true,
						isOff: isActive,
						run: () => onRemove(row),
					},
				]}
			/>
		</li>
	`;
}

function Faces({ row }) {
	const cast = row.cast ?? [];
	const speaking = cast.filter((one) => !BENCH.has(one.role));
	const shown = (speaking.length ? speaking : cast)
		.toSorted((a, b) => (a.side === "against") - (b.side === "against"))
		.slice(0, FACES);
	const bench = cast.length - speaking.length;
	const rest = Math.max(0, (row.cast_size ?? cast.length) - bench - shown.length);
	return html`
		<span class="faces">
			${shown.map(
				(one) => html`
					<${Face} name=${one.name} tone=${one.side || `m${cast.indexOf(one) % 8}`} isYou=${one.is_person} />
				`,
			)}
			${rest > 0 && html`<span class="rest">+${rest}</span>`}
		</span>
	`;
}

const LINES = {
	created: () => "Not started yet",
	running: (row) => html`<${Running} row=${row} />`,
	waiting: (row) => (isMine(row) ? yours(row) : talk(row)),
	stopping: () => "What is being written is finished first",
	stopped: (row) => `Stopped after ${said(row)}. It can be resumed.`,
	failed: (row) => `Failed after ${said(row)}. It can be retried.`,
	canceled: (row) => `Cancelled after ${said(row)}`,
	completed: (row) =>
		row.gist ? html`<${Gist} row=${row} />` : row.format === "room" ? talk(row) : `Over after ${said(row)}`,
};

function Result({ row }) {
	const line = LINES[row.status]?.(row) ?? words(row.status);
	return html`
		<span dir="auto">${line}</span>
		<${Pill} row=${row} />
	`;
}

function Pill({ row }) {
	if (isMine(row)) return html`<span class="pill you">Your turn</span>`;
	if (row.status === "running") return html`<span class="pill live"><i class="dot"></i>Live</span>`;
	if (row.status === "waiting") return null;
	if (row.status !== "completed") return html`<${StatusPill} status=${row.status} />`;
	const label = row.trust && trusted(row.trust);
	return label ? html`<span class=${`pill ${TRUST[row.trust] ?? ""}`}>${label}</span>` : null;
}

const said = (row) =>
	row.format === "room"
		? plural(row.statements, "message")
		: row.statements
			? plural(row.statements, "statement")
			: plural(row.turns, "turn");

function yours(row) {
	const last = seat(row, row.spoke_last);
	if (last && !last.is_person) return `Answer ${last.name}`;
	return row.statements ? `${Words(said(row))} so far` : "It waits for you";
}

function talk(row) {
	const count = `${plural(row.statements, "message")}.`;
	if (!row.statements) return "Nobody has spoken yet.";
	const last = seat(row, row.spoke_last);
	const isYou = row.spoke_last === "user" || last?.is_person;
	return isYou ? `${count} You spoke last.` : last ? `${count} ${last.name} spoke last.` : count;
}

function Running({ row }) {
	const next = seat(row, row.cursor?.next_actor);
	if (row.format === "room") return talk(row);
	const { stage, next_round: round } = row.cursor ?? {};
	if (!next) return [Words(stage ?? "running"), round > 1 && `round ${round}`].filter(Boolean).join(", ");
	const rest = BENCH.has(next.role)
		? next.role === "judge"
			? "is judging"
			: "has the floor"
		: next.role === "member"
			? `is at work${round > 1 ? `, round ${round}` : ""}`
			: `is speaking, statement ${row.statements + 1}`;
	return html`<b>${next.name}</b> ${rest}`;
}

// The winner's name has the colour of its side.
function Gist({ row }) {
	const { winner, winner_id: id } = row.outcome ?? {};
	const side = seat(row, id)?.side;
	const at = winner ? row.gist.indexOf(winner) : -1;
	if (at < 0 || !side) return row.gist;
	return html`
		${row.gist.slice(0, at)}<b class=${`who-${side}`}>${winner}</b>${row.gist.slice(at + winner.length)}
	`;
}
