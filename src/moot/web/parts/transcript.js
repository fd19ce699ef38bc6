// All turns in the order people read them. Only what is near the window is in the document: five
// thousand turns scroll like fifty.
import { html, signal, useEffect, useLayoutEffect, useRef, useState } from "../lib/ui.js";
import { hash } from "../lib/route.js";
import { courseOf } from "../lib/course.js";
import { Words, isOver } from "../lib/words.js";
import { Turn, Writing, showsPrivate } from "./turn.js";
import { Icon } from "./icons.js";

const CHUNK = 30;
const GUESS_PX = 220;
const NEAR = "1400px 0px";
const AT_END_PX = 120;
const PINNED_PX = 140; // room for the bars above a turn that stays in view
const ROOM_PX = 96; // room for the foot below the last line

const jumped = signal({ seq: 0 }); // where a reader wants to be; an object, as the same place may be wanted twice
export const jumpTo = (seq) => {
	jumped.value = { seq };
};
hash.subscribe(() => jumpTo(0));

// What a reader has not seen: {missed: how many statements, hasOutcome: whether it ended meanwhile}; and `isAtEnd`.
const news = new WeakMap();
export const newsOf = (live) => {
	if (!news.has(live)) news.set(live, signal({ missed: 0, hasOutcome: false }));
	return news.get(live);
};

// `items` may have other things among the turns, which `draw` draws; then there are no headings of stages.
// `extra(turn)` stands in a turn's head, `more(turn)` in its menu, and `below`, a Map by seq, below it. A button tells
// what is new while somebody reads elsewhere, unless something else does (`isTold`). The turn `pinned` stays in view,
// whatever comes below it.
export function Transcript({
	live,
	onFork,
	extra,
	more,
	after,
	below,
	items,
	draw,
	writing = [...live.writing.value.values()],
	empty,
	isTold,
	pinned,
}) {
	const course = courseOf(live.state);
	const target = targetOf(course);
	// A private turn that a person passed is not worth a line; what the judge made of a statement stands below it.
	const isShown = (turn) =>
		!turn.isPrivate ||
		turn.seq === target.seq ||
		(showsPrivate.value && !turn.flags?.includes("passed") && !(isJudged(turn, course) && !draw));
	const turns = (items ?? live.state.turns).filter(isShown);
	const isWritten = writing.some((entry) => entry.visibility === "public" || showsPrivate.value);
	const chunks = [];
	for (let at = 0; at < turns.length; at += CHUNK) chunks.push(turns.slice(at, at + CHUNK));
	return html`
		<section class="transcript" aria-label="Transcript">
			${chunks.map(
				(chunk, n) => html`
					<${Chunk}
						key=${n}
						turns=${chunk}
						before=${turns[n * CHUNK - 1]}
						isLast=${n >= chunks.length - 2}
						...${{ live, course, target, onFork, extra, more, below, draw }}
					/>
				`,
			)}
			${writing.map(
				(entry) => html`
					<${Writing} key=${entry.step} live=${live} entry=${entry} number=${course.statements.length + 1} />
				`,
			)}
			${!turns.length && !isWritten && ((live.isCaughtUp.value && empty) || html`<${Nothing} live=${live} />`)}
			${after}
			<${Follow} live=${live} isTold=${isTold} pinned=${pinned} />
			<div class="unseen" role="log" aria-live="polite" aria-label="New statements">
				<${Spoken} live=${live} course=${course} />
			</div>
		</section>
	`;
}

const isJudged = (turn, course) => course.under.has(turn.seq) && !turn.flags?.includes("hidden");

// {seq: that of the latest jump or of the address, shown: that of the turn in which this one is shown}
function targetOf(course) {
	const asked = Number(/^#turn-(\d+)$/.exec(hash.value)?.[1] ?? 0);
	const jump = jumped.value;
	const seq = jump.seq || asked;
	return { seq, asked, jump, shown: course.under.get(seq) ?? seq };
}

function Nothing({ live }) {
	if (!live.isCaughtUp.value) return html`<div class="bone block"></div><div class="bone block"></div>`;
	const { status } = live.state;
	if (status === "waiting") return null;
	const told = isOver(status)
		? "Nothing was said."
		: status === "created"
			? "Nothing has been said yet. Press Start, and watch."
			: "Nothing has been said yet.";
	return html`<p class="hint nothing">${told}</p>`;
}

function Chunk({ live, course, turns, before, target, isLast, onFork, extra, more, below, draw }) {
	const box = useRef(null);
	const height = useRef(0);
	const [isNear, setNear] = useState(isLast);
	const hasTarget = turns.some((turn) => turn.seq === target.shown);
	const isShown = isNear || isLast || hasTarget || (below?.size > 0 && turns.some(({ seq }) => below.has(seq)));
	useEffect(() => {
		const watch = new IntersectionObserver(([entry]) => setNear(entry.isIntersecting), { rootMargin: NEAR });
		watch.observe(box.current);
		return () => watch.disconnect();
	}, []);
	useLayoutEffect(() => {
		if (isShown) height.current = box.current.offsetHeight;
	});
	useEffect(() => {
		if (!hasTarget) return;
		const turn = document.getElementById(`turn-${target.shown}`);
		const isTall = turn?.offsetHeight > innerHeight / 2;
		turn?.scrollIntoView({ block: isTall ? "start" : "center" });
		turn?.focus({ preventScroll: true });
	}, [hasTarget && target.seq, target.jump]);
	if (!isShown)
		return html`
			<div class="chunk" ref=${box} style=${{ height: `${height.current || turns.length * GUESS_PX}px` }}></div>
		`;
	return html`
		<div class="chunk" ref=${box}>
			${turns.map((turn, n) => {
				if (!turn.step_key) return draw(turn);
				const last = n ? turns[n - 1] : before;
				const isNew = !draw && turn.stage && (!last || isNewPart(live, last, turn));
				return html`
					${isNew && html`<${Divider} key=${`d${turn.seq}`} live=${live} turn=${turn} />`}
					<${Turn}
						key=${turn.seq}
						live=${live}
						turn=${turn}
						course=${course}
						target=${target.asked}
						onFork=${onFork}
						extra=${extra?.(turn)}
						more=${more?.(turn)}
					/>
					${below?.get(turn.seq)}
				`;
			})}
		</div>
	`;
}

// Whether a stage begins, or one of its rounds where rounds are counted.
export const isNewPart = (live, last, turn) =>
	last.stage !== turn.stage || (last.round !== turn.round && !live.state.settings.turns);
export const partOf = (live, { stage, round }) => {
	const { turns, settings } = live.state;
	const isRound = round > 1 && !settings.turns && turns.some((turn) => turn.stage === stage && turn.round !== round);
	return Words(stage) + (isRound ? ` · round ${round}` : "");
};

const Divider = ({ live, turn }) => html`<h2 class="divider"><span>${partOf(live, turn)}</span></h2>`;

export function toEnd() {
	history.replaceState(null, "", location.pathname);
	hash.value = "";
	jumpTo(0);
	document.querySelector(".transcript-end")?.scrollIntoView({ block: "end" });
}

// Moves the focus to the outcome; `false` if there is none.
export function toOutcome() {
	const heading = document.getElementById("outcome");
	if (!heading) return false;
	scrollTo(0, 0);
	heading.focus({ preventScroll: true });
	return true;
}

const topOf = (element) => element?.getBoundingClientRect().top;

// Stays at the end while somebody reads there, and says what is new while they read elsewhere. What they read stays
// where it is, whatever comes above it.
function Follow({ live, isTold, pinned }) {
	const end = useRef(null);
	const seen = useRef(null);
	const held = useRef(null); // {turn, top}: what is being read, and where it stood
	const told = newsOf(live);
	told.isAtEnd ??= !hash.value;
	const { turns, status } = live.state;
	const isCaughtUp = live.isCaughtUp.value;
	// Reading the texts makes this be drawn again with every word.
	for (const entry of live.writing.value.values()) void entry.text.value;
	const hold = () => {
		const turn = [...document.querySelectorAll(".transcript .turn")].find(
			(one) => one.getBoundingClientRect().bottom > 120,
		);
		held.current = turn ? { turn, top: topOf(turn) } : null;
	};
	useEffect(() => {
		const look = () => {
			if (!end.current) return;
			told.isAtEnd = topOf(end.current) - innerHeight < AT_END_PX;
			const { missed, hasOutcome } = told.value;
			if (told.isAtEnd && missed) told.value = { missed: 0, hasOutcome };
			if (hasOutcome && topOf(document.getElementById("outcome")) > 0) told.value = { missed, hasOutcome: false };
			hold();
		};
		addEventListener("scroll", look, { passive: true });
		return () => removeEventListener("scroll", look);
	}, []);
	useLayoutEffect(() => {
		const before = seen.current;
		const said = turns.filter((turn) => !turn.isPrivate).length;
		const isMoving = status === "running" || status === "stopping";
		if (isCaughtUp) seen.current = { said, status };
		const isEnded = before && !isOver(before.status) && status === "completed";
		if (isEnded && told.isAtEnd && toOutcome()) return;
		if (isEnded) {
			const moved = held.current?.turn.isConnected ? topOf(held.current.turn) - held.current.top : 0;
			if (moved) scrollBy(0, moved);
			told.value = { missed: 0, hasOutcome: Boolean(document.getElementById("outcome")) };
		} else if (told.isAtEnd && isMoving && isCaughtUp) {
			const foot = document.querySelector(".dock, .composer, .room-foot")?.offsetHeight ?? 0;
			const below = topOf(end.current) + Math.max(ROOM_PX, foot) - innerHeight;
			const over = topOf(document.getElementById(`turn-${pinned}`)) - PINNED_PX;
			const by = over > -PINNED_PX / 2 ? Math.min(below, over) : below;
			if (by > 0) scrollBy(0, by);
		} else if (before && said > before.said && !told.isAtEnd)
			told.value = { ...told.value, missed: told.value.missed + said - before.said };
		hold();
	});
	const { missed } = told.value;
	return html`
		<div class="transcript-end" ref=${end}></div>
		${
			!isTold &&
			missed > 0 &&
			html`
				<button class="btn primary float" onClick=${toEnd}>
					<${Icon} name="down" />
					${missed} new
				</button>
			`
		}
	`;
}

// For screen readers: that somebody spoke, not what; the latest score is told once it is there.
function Spoken({ live, course }) {
	const first = useRef(null);
	const last = live.state.turns.findLast((turn) => !turn.isPrivate && !turn.is_silent);
	if (!live.isCaughtUp.value) return null;
	first.current ??= last?.seq ?? 0;
	if (!last || last.seq <= first.current) return null;
	const scored = course.statements.findLast((one) => course.judged.get(one.seq)?.score);
	const given = scored?.seq > first.current ? course.judged.get(scored.seq).score : null;
	const points = typeof given?.data?.score === "number" ? `, ${given.data.score} of 10` : "";
	const name = ({ participant }) => live.person(participant).name;
	return html`
		<p key=${last.seq}>${name(last)} spoke${scored === last ? points : ""}</p>
		${points && scored !== last && html`<p key=${`s${given.seq}`}>${name(scored)} spoke${points}</p>`}
	`;
}
