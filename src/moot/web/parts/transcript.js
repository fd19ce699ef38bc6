// All turns in the order people read them. Only what is near the window is in the document: five
// thousand turns scroll like fifty.
import { html, useEffect, useLayoutEffect, useRef, useState } from "../lib/ui.js";
import { hash } from "../lib/route.js";
import { Words } from "../lib/words.js";
import { Turn, Writing } from "./turn.js";
import { Icon } from "./icons.js";

const CHUNK = 30;
const GUESS_PX = 110;
const NEAR = "1400px 0px";
const AT_BOTTOM_PX = 160;
const ROOM_PX = 72; // below the last line: who is next

// `items` may have other things among the turns, which `draw` draws; then there are no headings of stages.
// `extra(turn)` stands in a turn's head, `more(turn)` in its menu.
export function Transcript({
	live,
	onFork,
	extra,
	more,
	after,
	items,
	draw,
	writing = [...live.writing.value.values()],
	empty,
}) {
	const { scores, status } = live.state;
	// What a person need not do and did not is not worth a line.
	const turns = (items ?? live.state.turns).filter((turn) => !(turn.isPrivate && turn.flags?.includes("passed")));
	const target = Number(/^#turn-(\d+)$/.exec(hash.value)?.[1] ?? 0);
	const given = new Map(scores.map((one) => [one.statement, one]));
	const chunks = [];
	for (let at = 0; at < turns.length; at += CHUNK) chunks.push(turns.slice(at, at + CHUNK));
	return html`
		<section class="transcript" aria-label="Transcript">
			${chunks.map(
				(chunk, n) => html`
					<${Chunk}
						key=${n}
						live=${live}
						turns=${chunk}
						before=${turns[n * CHUNK - 1]}
						given=${given}
						target=${target}
						isLast=${n >= chunks.length - 2}
						onFork=${onFork}
						...${{ extra, more, draw }}
					/>
				`,
			)}
			${writing.map((entry) => html`<${Writing} key=${entry.step} live=${live} entry=${entry} />`)}
			${
				!turns.length &&
				!writing.length &&
				((live.isCaughtUp.value && empty) || html`<${Nothing} live=${live} status=${status} />`)
			}
			${after}
			<${Follow} live=${live} />
			<div class="unseen" role="log" aria-live="polite" aria-label="New statements">
				<${Spoken} live=${live} />
			</div>
		</section>
	`;
}

function Nothing({ live, status }) {
	if (!live.isCaughtUp.value) return html`<div class="bone"></div><div class="bone"></div>`;
	return html`
		<p class="hint nothing">
			${status === "created" ? "Nothing has been said yet. Press Start, and watch." : "Nothing was said."}
		</p>
	`;
}

function Chunk({ live, turns, before, given, target, isLast, onFork, extra, more, draw }) {
	const box = useRef(null);
	const height = useRef(0);
	const [isNear, setNear] = useState(isLast);
	const hasTarget = turns.some((turn) => turn.seq === target);
	const isShown = isNear || isLast || hasTarget;
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
		const turn = document.getElementById(`turn-${target}`);
		turn?.scrollIntoView({ block: "center" });
		turn?.focus({ preventScroll: true });
	}, [hasTarget && target]);
	if (!isShown)
		return html`
			<div class="chunk" ref=${box} style=${{ height: `${height.current || turns.length * GUESS_PX}px` }}></div>
		`;
	return html`
		<div class="chunk" ref=${box}>
			${turns.map((turn, n) => {
				if (!turn.step_key) return draw(turn);
				const last = n ? turns[n - 1] : before;
				const isNew = !draw && turn.stage && (!last || last.stage !== turn.stage || last.round !== turn.round);
				return html`
					${isNew && html`<${Divider} key=${`d${turn.seq}`} turn=${turn} isRepeated=${last?.stage === turn.stage} />`}
					<${Turn}
						key=${turn.seq}
						live=${live}
						turn=${turn}
						score=${given.get(turn.seq)}
						isTarget=${turn.seq === target}
						onFork=${onFork}
						extra=${extra?.(turn)}
						more=${more?.(turn)}
					/>
				`;
			})}
		</div>
	`;
}

const Divider = ({ turn, isRepeated }) => html`
	<h2 class="divider">
		<span>${Words(turn.stage)}${turn.round > 1 || isRepeated ? ` · round ${turn.round}` : ""}</span>
	</h2>
`;

// Stays at the end while somebody reads there, and says what is new while they read elsewhere.
function Follow({ live }) {
	const end = useRef(null);
	const isAtEnd = useRef(true);
	const [missed, setMissed] = useState(0);
	const seen = useRef(0);
	const { turns } = live.state;
	const writing = live.writing.value;
	// Read, so that this is drawn again with every word.
	for (const entry of writing.values()) void entry.text.value;
	useEffect(() => {
		const look = () => {
			if (!end.current) return;
			isAtEnd.current = end.current.getBoundingClientRect().bottom - innerHeight < AT_BOTTOM_PX;
			if (isAtEnd.current) setMissed(0);
		};
		addEventListener("scroll", look, { passive: true });
		return () => removeEventListener("scroll", look);
	}, []);
	useLayoutEffect(() => {
		const said = turns.filter((turn) => !turn.isPrivate).length;
		const isFirst = seen.current === 0;
		const isActive = live.state.status === "running" || live.state.status === "stopping";
		const foot = document.querySelector(".composer, .room-foot")?.offsetHeight ?? 0;
		const below = end.current.getBoundingClientRect().bottom + ROOM_PX + foot - innerHeight;
		if (isAtEnd.current && isActive && !hash.value && live.isCaughtUp.value) {
			if (below > 0) scrollBy(0, below);
		} else if (!isFirst && said > seen.current && !isAtEnd.current) setMissed((n) => n + said - seen.current);
		seen.current = said;
	});
	return html`
		<div ref=${end}></div>
		${
			missed > 0 &&
			html`
				<button
					class="button primary float"
					onClick=${() => {
						setMissed(0);
						history.replaceState(null, "", location.pathname);
						hash.value = "";
						end.current.scrollIntoView({ block: "end" });
					}}
				>
					<${Icon} name="down" />
					${missed} new
				</button>
			`
		}
	`;
}

// For screen readers: whole statements as they are recorded, not word by word.
function Spoken({ live }) {
	const first = useRef(null);
	const { turns } = live.state;
	const last = turns.findLast((turn) => !turn.isPrivate && !turn.is_silent);
	if (!live.isCaughtUp.value) return null;
	first.current ??= last?.seq ?? 0;
	return last && last.seq > first.current
		? html`<p key=${last.seq}>${live.person(last.participant).name}: ${last.content}</p>`
		: null;
}
