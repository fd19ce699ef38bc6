// One turn, recorded or being written: statements are cards on their side, plans and thoughts quiet lines.
import { html, signal, useMemo } from "../lib/ui.js";
import { markup } from "../lib/markup.js";
import { NO_SCORE, clock, count, does, doing, duration, flagged, isOver, money, noun } from "../lib/words.js";
import { firstSentence, firstWords, namedStatement } from "../lib/course.js";
import { isScored } from "../lib/formats.js";
import { called, side, tone } from "../lib/people.js";
import { preference } from "../lib/keep.js";
import { say } from "../lib/toasts.js";
import { FaceOf, Facts, Menu, copy } from "./bits.js";
import { Icon } from "./icons.js";

export const showsPrivate = preference("private", false);
export const unfolds = signal(false); // whether evaluations are open

export const Prose = ({ text, small }) => {
	const made = useMemo(() => markup(text), [text]);
	return html`<div class=${small ? "prose small" : "prose"} dir="auto">${made}</div>`;
};

const permalink = (live, seq) => `${location.origin}/debates/${live.id}#turn-${seq}`;
const placeOf = (live, id) => side(live, id) || tone(live, id);

export async function copied(text, what) {
	say((await copy(text)) ? `${what} copied` : "The browser does not allow copying", {});
}

const WRITTEN = "sample:written"; // in place of a model, in a sample

// What is known about a turn, for its menu.
function About({ turn }) {
	const { model, usage = {}, duration_ms = 0, attempts } = turn;
	if (!model) return null;
	const { input_tokens: read, output_tokens: written, thought_tokens: thought, cost_usd: cost } = usage;
	const rows = [
		["Model", model],
		read > 0 && ["Read, written", `${count(read)} · ${count(written)} tokens`],
		thought > 0 && ["Of that thought", count(thought)],
		model !== WRITTEN && ["Cost, time", `${money(cost)} · ${duration(duration_ms / 1000)}`],
		attempts > 1 && ["Attempts", attempts],
	];
	return html`<${Facts} class="inside" rows=${rows} />`;
}

function actionsOf(live, turn, onFork, more = []) {
	return [
		...more,
		{
			name: "Copy link",
			icon: "link",
			run: () => {
				history.replaceState(null, "", `#turn-${turn.seq}`);
				copied(permalink(live, turn.seq), "Link");
			},
		},
		{ name: "Copy text", icon: "copy", run: () => copied(turn.content ?? "", "Text") },
		onFork && { name: "Fork from here", icon: "fork", run: () => onFork(turn.seq) },
	];
}

export function Turn(props) {
	return props.turn.isPrivate ? html`<${Thought} ...${props} />` : html`<${Statement} ...${props} />`;
}

function Statement({ live, turn, course, target, onFork, extra, more }) {
	const person = live.person(turn.participant);
	const number = course?.numbers.get(turn.seq);
	const what = number ? `statement ${number}` : noun(turn.kind);
	const classes = ["statement", "turn", placeOf(live, turn.participant)];
	if (turn.seq === target) classes.push("target");
	if (turn.included === false) classes.push("excluded");
	return html`
		<article
			class=${classes.join(" ")}
			id=${`turn-${turn.seq}`}
			tabindex="-1"
			aria-label=${`${person.name}, ${what}`}
		>
			<${FaceOf} live=${live} id=${turn.participant} />
			<div class="said">
				<header>
					<b class="who">${called(live, turn.participant)}</b>
					<span class="model-name">
						${turn.kind !== "speak" && `${noun(turn.kind)} · `}
						${number && `${number} · `}
						<a href=${`#turn-${turn.seq}`}>${clock(turn.at)}</a>
					</span>
					<span class="spring"></span>
					${extra}
					<${Menu}
						label=${`More about ${what}`}
						items=${actionsOf(live, turn, onFork, more)}
						foot=${html`<${About} turn=${turn} />`}
					/>
				</header>
				${showsPrivate.value && html`<${Reasoning} turn=${turn} />`}
				<${Prose} text=${turn.content ?? ""} />
				<${Flags} turn=${turn} />
				${course && html`<${Judged} ...${{ live, turn, course, target }} />`}
			</div>
		</article>
	`;
}

const hasScore = (data) => typeof data?.score === "number";
const isHidden = (turn) => turn?.flags?.includes("hidden");

// What the judge made of a statement: score and gist, which open the whole of it; or what it still waits for.
function Judged({ live, turn, course, target }) {
	const { evaluation, score } = course.judged.get(turn.seq) ?? {};
	if (isHidden(evaluation) || isHidden(score)) return null;
	const last = score ?? (isOver(live.state.status) ? evaluation : null);
	if (!last) return html`<${Unjudged} live=${live} turn=${turn} />`;
	const { data, flags = [] } = last;
	const isGiven = hasScore(data);
	const told = flags.includes("passed") ? flagged("passed") : NO_SCORE;
	const short = isGiven ? firstSentence(evaluation?.content || data.reasoning) : told;
	const isKey = namedStatement(live.state.outcome?.reasoning, course)?.seq === turn.seq;
	const isTarget = target > 0 && (last.seq === target || evaluation?.seq === target);
	const by = live.person(last.participant).name;
	return html`
		<details class="score" id=${`turn-${last.seq}`} open=${unfolds.value || isTarget}>
			<summary>
				<span class=${isKey ? "mark key" : "mark"}>${isGiven ? data.score : "–"}</span>
				${isGiven && html`<span class="unseen">of 10.</span>`}
				<span class="gist" dir="auto">${short}</span>
			</summary>
			<div class="evaluation">
				${evaluation && html`<${Prose} small text=${evaluation.content ?? ""} />`}
				${isGiven && data.reasoning && html`<${Prose} small text=${data.reasoning} />`}
				<p class="sub">${by}, judge${!isGiven && score?.content ? `, wrote: ${firstSentence(score.content)}` : ""}</p>
				<${Flags} turn=${last} />
			</div>
		</details>
	`;
}

function Unjudged({ live, turn }) {
	const { format, status, participants } = live.state;
	const judge = [...participants.values()].find((one) => one.role === "judge");
	if (!isScored(format) || !judge || isOver(status) || live.view.value?.is_veiled) return null;
	const isAbout = (key) =>
		key.startsWith(`${turn.stage}/${turn.round}/${judge.id}/`) && key.endsWith(`/${turn.participant}`);
	const work = [...live.writing.value.values()].find((entry) => isAbout(entry.step));
	const wait = live.view.value?.waiting.find((one) => isAbout(one.step_key));
	const told = wait
		? `${judge.name} weighs this as soon as ${wait.model.split(":")[0]} answers.`
		: work
			? `${judge.name} is ${doing(work.kind)}.`
			: `${judge.name} has yet to weigh this.`;
	return html`
		<p class="score pending">
			<span class=${wait ? "waiting" : "waiting calm"}><${Icon} name="clock" small /><span>${told}</span></span>
		</p>
	`;
}

// What was thought before the turn.
export function Reasoning({ turn }) {
	if (!turn.reasoning) return null;
	return html`
		<details class="fold reasoning" open=${showsPrivate.value}>
			<summary>Thought before this</summary>
			<${Prose} small text=${turn.reasoning} />
		</details>
	`;
}

function Thought({ live, turn, target, onFork, more }) {
	const person = live.person(turn.participant);
	const isTarget = turn.seq === target;
	return html`
		<article
			class=${`thought turn private ${placeOf(live, turn.participant)} ${isTarget ? "target" : ""}`}
			id=${`turn-${turn.seq}`}
			tabindex="-1"
			aria-label=${`${person.name}, private ${noun(turn.kind)}`}
		>
			<${FaceOf} live=${live} id=${turn.participant} size="s" />
			<details open=${isTarget}>
				<summary>
					<span>${does(turn.kind)}</span>
					<em class="gist" dir="auto">${gist(turn)}</em>
				</summary>
				<${Reasoning} turn=${turn} />
				<${Prose} small text=${textOf(turn)} />
				<${Flags} turn=${turn} />
			</details>
			<${Menu}
				label=${`More about this ${noun(turn.kind)}`}
				items=${actionsOf(live, turn, onFork, more)}
				foot=${html`<${About} turn=${turn} />`}
			/>
		</article>
	`;
}

const textOf = ({ kind, data, content }) =>
	kind === "score" && hasScore(data) ? `**${data.score} of 10.** ${data.reasoning ?? ""}` : (content ?? "");

// A turn in one line. What could not be read is marked, and not shown as if it were an answer.
function gist({ kind, data, flags, content }) {
	const is = (flag) => flags?.includes(flag);
	if (is("hidden")) return "hidden";
	if (kind === "score") return hasScore(data) ? `${data.score} of 10` : is("passed") ? flagged("passed") : NO_SCORE;
	if (data?.winner && data.scores) {
		const points = Object.entries(data.scores).map((pair) => pair.join(" "));
		return `${data.winner}: ${points.join(", ")}`;
	}
	const text = firstWords(content, 160);
	return is("unreadable") ? `${flagged("unreadable")}: ${text}` : text;
}

export function Flags({ turn }) {
	const told = (turn.flags ?? []).map(flagged);
	if (turn.included === false) told.push("the others do not hear this");
	return told.length > 0 && html`<p class="flags">${told.join(" · ")}</p>`;
}

// What is being written: the same shape as what it becomes, so that nothing moves when it is recorded.
export function Writing({ live, entry, number }) {
	const { participant, kind, visibility } = entry;
	const text = entry.text.value;
	const place = placeOf(live, participant);
	const label = `${live.person(participant).name} is ${doing(kind)}`;
	if (visibility === "private")
		return (
			showsPrivate.value &&
			html`
				<article class=${`thought turn private writing ${place}`} aria-label=${label} aria-busy="true">
					<${FaceOf} live=${live} id=${participant} size="s" />
					<p>
						<span>is ${doing(kind)}</span> <${Dots} />
						<em class="gist" dir="auto">${text.replace(/\s+/g, " ").slice(-140)}</em>
					</p>
				</article>
			`
		);
	return html`
		<article class=${`statement turn writing ${place}`} aria-label=${label} aria-busy="true">
			<${FaceOf} live=${live} id=${participant} />
			<div class="said">
				<header>
					<b class="who">${called(live, participant)}</b>
					<span class="model-name">${number && kind === "speak" ? `${number} · ` : ""}${doing(kind)}</span>
					<${Dots} />
				</header>
				${text ? html`<${Prose} text=${text} />` : html`<div class="prose"><span class="caret"></span></div>`}
			</div>
		</article>
	`;
}

export const Dots = () => html`
	<span class="typing" aria-hidden="true">
		<i></i>
		<i></i>
		<i></i>
	</span>
`;
