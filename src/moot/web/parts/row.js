// One debate in the list: faces, topic, what came of it in one line, format, cost and age.
import { html } from "../lib/ui.js";
import { isOpenEnded } from "../lib/formats.js";
import { ago, money, originOf, plural, toned, trusted, Words, words, written } from "../lib/words.js";
import { Face, Menu, StatusPill } from "./bits.js";
import { Hits, Marked } from "./found.js";

const DOES = { judge: "is judging", moderator: "has the floor" };

// Whether it was held elsewhere, by others; a fork of such a debate goes on here.
const isElsewhere = (row) => row.origin.startsWith("import/") && !row.forked_from;

// What it cost here, or that it was not held here.
const paid = (row) => (isElsewhere(row) ? originOf(row.origin) : row.calls > 0 && money(row.cost_usd));

// The door by which it came, if not an ordinary one.
const door = (row) => !row.origin.startsWith("import/") && originOf(row.origin);

const seat = (row, id) => row.cast?.find((one) => one.id === id);

// Whether it waits for a person. Any debate that waits does; a room only when it is that person's turn.
export function isMine(row) {
	if (row.status !== "waiting") return false;
	const next = seat(row, row.cursor?.next_actor);
	return next ? next.is_person : !isOpenEnded(row.format);
}

export function Row({ row, onRemove }) {
	const name = row.title || row.topic;
	const isActive = row.status === "running" || row.status === "stopping";
	const remove = {
		name: isActive ? "Delete (stop it first)" : "Delete",
		icon: "trash",
		isDanger: true,
		isOff: isActive,
		run: () => onRemove(row),
	};
	return html`
		<li class="row">
			<${Faces} row=${row} most=${2} />
			<div class="body">
				<h3><a href=${`/debates/${row.id}`} dir="auto"><${Marked} name=${name} hits=${row.hits} /></a></h3>
				${row.title && html`<p class="about" dir="auto"><${Marked} name=${row.topic} hits=${row.hits} /></p>`}
				<p class="result">
					<span dir="auto">${LINES[row.status]?.(row) ?? words(row.status)}</span>
					<${Progress} row=${row} />
					<${Pill} row=${row} />
				</p>
				${row.hits && html`<${Hits} row=${row} />`}
			</div>
			<p class="meta" title=${row.calls > 0 ? written(row) : undefined}>
				${Words(row.format)}${paid(row) && ` · ${paid(row)}`}
				<br />
				${door(row) && html`<span class="door">${door(row)}</span><span class="between"> · </span>`}
				<time datetime=${row.updated_at}>${ago(row.updated_at)}</time>
			</p>
			<${Menu} label=${`More about ${name}`} items=${[remove]} />
		</li>
	`;
}

// Those who speak, for before against. Judges and moderators are shown only where nobody else is.
export function Faces({ row, most, size }) {
	const cast = row.cast ?? [];
	const isBench = cast.every((one) => DOES[one.role]);
	const speaking = cast.filter((one) => isBench || !DOES[one.role]);
	const shown = speaking.toSorted((a, b) => (a.side === "against") - (b.side === "against")).slice(0, most);
	const rest = Math.max(row.cast_size ?? 0, cast.length) - (cast.length - speaking.length) - shown.length;
	const face = (one) => {
		const isYou = one.is_person && !isElsewhere(row);
		const tone = isBench ? "judge" : one.side || `m${cast.indexOf(one) % 8}`;
		return html`<${Face} name=${one.name} tone=${tone} isYou=${isYou} size=${size} />`;
	};
	return html`<span class="faces">${shown.map(face)}${rest > 0 && html`<span class="rest">+${rest}</span>`}</span>`;
}

const LINES = {
	created: () => "Not started yet",
	running,
	waiting: (row) => (isMine(row) ? yours(row) : talk(row)),
	stopping: () => "What is being written is finished first",
	stopped: (row) => `Stopped ${when(row)}. It can be resumed.`,
	failed: (row) => `Failed ${when(row)}. It can be retried.`,
	canceled: (row) => `Cancelled ${when(row)}`,
	completed: (row) => (row.gist ? gist(row) : isOpenEnded(row.format) ? talk(row) : `Ended ${when(row)}`),
};

function Pill({ row }) {
	if (isMine(row)) return html`<span class="pill you">Your turn</span>`;
	if (row.status === "running") return html`<span class="pill live"><i class="dot"></i>Live</span>`;
	if (row.status === "waiting") return null;
	if (row.status !== "completed") return html`<${StatusPill} status=${row.status} />`;
	return row.trust && html`<span class=${`pill ${toned(row.trust)}`}>${trusted(row.trust)}</span>`;
}

function when({ format, statements, statements_planned: most, turns }) {
	const what = isOpenEnded(format) ? "message" : statements ? "statement" : "turn";
	if (statements && most > statements) return `after ${statements} of ${plural(most, what)}`;
	return statements || turns ? `after ${plural(statements || turns, what)}` : "before anybody spoke";
}

function yours(row) {
	const last = seat(row, row.spoke_last);
	if (seat(row, row.cursor?.next_actor)?.role === "judge") return "Judge what was said";
	return last && !last.is_person ? `Answer ${last.name}` : "It waits for you";
}

function talk(row) {
	if (!row.statements) return "Nobody has spoken yet.";
	const last = seat(row, row.spoke_last);
	const isMe = !isElsewhere(row) && (row.spoke_last === "user" || last?.is_person);
	const who = isMe ? "You" : last?.name;
	return `${plural(row.statements, "message")}.${who ? ` ${who} spoke last.` : ""}`;
}

function running(row) {
	if (isOpenEnded(row.format)) return talk(row);
	const { stage, next_round: round, next_actor: actor } = row.cursor ?? {};
	const next = seat(row, actor);
	const later = round > 1 ? `, round ${round}` : "";
	if (!next) return `${Words(stage ?? "running")}${later}`;
	const most = row.statements_planned;
	const number = `${row.statements + 1}${most ? ` of ${most}` : ""}`;
	const speaks = next.role === "member" ? `is at work${later}` : `is speaking, statement ${number}`;
	return html`<b>${next.name}</b> ${DOES[next.role] ?? speaks}`;
}

const MOST_DASHES = 12;

// A dash for each statement in the colour of its side; the one that is being written breathes.
function Progress({ row }) {
	const { statements, statements_planned: most } = row;
	if (!most || most > MOST_DASHES || row.status !== "running") return null;
	const sides = (row.cast ?? []).filter((one) => one.role === "debater").map((one) => one.side);
	const side = (at) => ((sides[at % 2] || ["for", "against"][at % 2]) === "for" ? "f" : "a");
	const dash = (_, at) => {
		const name = at > statements ? "" : `${side(at)}${at === statements ? " now" : ""}`;
		return html`<i class=${name}></i>`;
	};
	return html`<span class="progress" aria-hidden="true">${Array.from({ length: most }, dash)}</span>`;
}

// The winner's name has the colour of its side.
function gist(row) {
	const { winner, winner_id: id } = row.outcome ?? {};
	const side = seat(row, id)?.side;
	const [before, ...after] = side && winner ? row.gist.split(winner) : [row.gist];
	return html`${before}${after.length > 0 && html`<b class=${`who-${side}`}>${winner}</b>`}${after.join(winner)}`;
}
