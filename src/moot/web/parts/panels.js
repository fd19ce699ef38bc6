// What stands beside a transcript: its outline, who does what and since when, what was spent.
import { html, useEffect, useId, useMemo, useState } from "../lib/ui.js";
import { once } from "../lib/api.js";
import { fetched } from "../lib/fetched.js";
import { withoutVain } from "../lib/formats.js";
import { Words, count, doing, duration, isOver, isSample, money, plural } from "../lib/words.js";
import { courseOf, firstWords, namedStatement } from "../lib/course.js";
import { argued, called, isElsewhere, isPerson, side } from "../lib/people.js";
import { Dialog, Facts, FaceOf, Meter } from "./bits.js";
import { Icon } from "./icons.js";
import { showsPrivate } from "./turn.js";
import { isNewPart, jumpTo, partOf, toOutcome } from "./transcript.js";

function Panel({ title, children }) {
	const id = useId(); // a panel can be there twice: beside the transcript and in the sheet
	return html`<section aria-labelledby=${id}><h2 id=${id}>${title}</h2>${children}</section>`;
}

export function useFormat(id) {
	const [form, setForm] = useState(null);
	useEffect(() => {
		if (id) once(`/api/formats/${id}`).then(setForm, () => {});
	}, [id]);
	return form;
}

// Draws the component again every second while `isOn`.
function useSeconds(isOn) {
	const [, tick] = useState(0);
	useEffect(() => {
		if (!isOn) return undefined;
		const timer = setInterval(() => tick((n) => n + 1), 1000);
		return () => clearInterval(timer);
	}, [isOn]);
}

// --- outline --------------------------------------------------------------------------------------

const LISTED = 100;
const BLOCK = 50;
const LETTERS = { for: "f", against: "a" };

// [{stage} | {turn, name, points} | {turn, name: "Statements 1 to 50"}]: blocks, if there are very many.
function entriesOf(live) {
	const { turns } = live.state;
	const course = courseOf(live.state);
	const said = turns.filter((turn) => !turn.isPrivate && turn.stage);
	const full = said.length > LISTED ? said.length - (said.length % BLOCK || BLOCK) : 0;
	const rows = [];
	for (let at = 0; at < full; at += BLOCK)
		rows.push({ turn: said[at], name: `Statements ${at + 1} to ${at + BLOCK}`, isBlock: true });
	let last = null;
	for (const turn of said.slice(full)) {
		if (!last || isNewPart(live, last, turn)) rows.push({ stage: partOf(live, turn), key: turn.seq });
		const score = course.judged.get(turn.seq)?.score?.data?.score;
		const isNumbered = course.numbers.has(turn.seq);
		const name = isNumbered ? firstWords(turn.content) : live.person(turn.participant).name;
		rows.push({ turn, n: course.numbers.get(turn.seq), name: name || "…", points: score });
		last = turn;
	}
	return rows;
}

export function Outline({ live, onGo }) {
	const { status, stage, outcome, seq } = live.state;
	const rows = useMemo(() => entriesOf(live), [live, seq]);
	const course = courseOf(live.state);
	const key = namedStatement(outcome?.reasoning, course)?.seq;
	const next = isOver(status) || status === "created" ? [] : (live.view.value?.upcoming ?? []);
	const now = [...live.writing.value.values()].find((one) => one.visibility === "public" && one.kind === "speak");
	const coming = now && next[0] !== now.participant ? [now.participant, ...next] : next;
	const speakers = coming.filter((id) => live.person(id).role !== "judge").slice(0, 4);
	const isNow = (id, n) =>
		n === 0 &&
		(now?.participant === id ||
			[...live.state.questions.values()].some((one) => one.participant === id && one.kind === "speak"));
	const jump = (act) => (event) => {
		event.preventDefault();
		onGo?.();
		act();
	};
	if (!rows.length && !speakers.length) return null;
	return html`
		<nav class="outline" aria-label="Outline">
			<h2>Outline</h2>
			<ol>
				${
					status === "completed" &&
					html`
						<li>
							<a href="#outcome" onClick=${jump(toOutcome)}>
								<span class="n"><${Icon} name="check" small /></span>
								<span class="gist">Outcome</span>
							</a>
						</li>
					`
				}
				${rows.map((row) =>
					row.stage
						? html`<li class="stage" key=${`s${row.key}`}>${row.stage}</li>`
						: html`
								<li key=${row.turn.seq}>
									<a href=${`#turn-${row.turn.seq}`} onClick=${jump(() => jumpTo(row.turn.seq))}>
										<span class=${`n ${LETTERS[side(live, row.turn.participant)] ?? ""}`}>
											${row.isBlock ? "" : (row.n ?? live.person(row.turn.participant).role?.[0]?.toUpperCase())}
										</span>
										<span class="gist" dir="auto">${row.name}</span>
										<span class=${row.turn.seq === key ? "mark key" : "pts"}>${row.points}</span>
									</a>
								</li>
							`,
				)}
				${
					speakers.length > 0 &&
					stage &&
					!rows.some((row) => row.turn?.stage === stage) &&
					html`<li class="stage">${Words(stage)}</li>`
				}
				${speakers.map(
					(id, n) => html`
						<li key=${`n${n}`} class="coming" aria-current=${isNow(id, n) ? "true" : undefined}>
							<span class=${`n ${LETTERS[side(live, id)] ?? ""}`}>${course.statements.length + n + 1}</span>
							<span class="gist">${called(live, id)}${isNow(id, n) ? ", now" : ""}</span>
						</li>
					`,
				)}
			</ol>
		</nav>
	`;
}

// --- who ------------------------------------------------------------------------------------------

const sinceThen = (at) => duration(Math.max(0, (Date.now() - at) / 1000));

// What somebody is doing, in words, or nothing.
function doingOf(live, one, next) {
	const { questions } = live.state;
	const work = [...live.writing.value.values()].find((entry) => entry.participant === one.id);
	const wait = live.view.value?.waiting?.find((each) => each.participant === one.id);
	const held = work?.held.value;
	if (wait || held) {
		const to = wait?.model.split(":")[0] ?? one.model.split(":")[0];
		return html`<span class="late">Waiting for ${to}, ${sinceThen(Date.parse((wait ?? held).since))}</span>`;
	}
	if (work) return html`<b>${Words(doing(work.kind))}</b> for ${sinceThen(work.since)}`;
	if ([...questions.values()].some((question) => question.participant === one.id))
		return html`<b>${isPerson(one) && called(live, one.id) === "You" ? "Your turn" : "Has been asked"}</b>`;
	return next.includes(one.id) ? "Next" : "";
}

export function PeoplePanel({ live }) {
	const { participants, status } = live.state;
	const isOn = ["running", "stopping", "waiting"].includes(status);
	useSeconds(isOn);
	const next = live.view.value?.upcoming?.slice(0, 2) ?? [];
	const people = [...participants.values()];
	const title = isOn ? "Who is doing what" : isOver(status) ? "Who took part" : "Who takes part";
	return html`
		<${Panel} title=${title}>
			<ul class="doing">
				${people.map((one) => {
					const told = isOn && doingOf(live, one, next);
					return html`
						<li key=${one.id}>
							<${FaceOf} live=${live} id=${one.id} size="s" />
							<span>
								<b>${one.name || "Somebody"}</b>
								${told && html`<span class="at-it">${told}</span>`}
								<small>${isPerson(one) ? "a person" : one.model}</small>
								${!isOn && argued(one) && html`<small class="argues">argues ${argued(one)}</small>`}
							</span>
						</li>
					`;
				})}
			</ul>
		<//>
	`;
}

// --- stages ---------------------------------------------------------------------------------------

const StageDiagram = fetched(() => import("./diagram.js").then((module) => module.StageDiagram));

function Diagram({ live }) {
	const { format, stage, visits, status, participants } = live.state;
	const whole = useFormat(format);
	if (!whole) return null;
	const form = withoutVain(whole, participants);
	return html`<${StageDiagram} form=${form} stage=${stage} visits=${visits} isOver=${isOver(status)} />`;
}

export const StagesDialog = ({ live, onClose }) => html`
	<${Dialog} title="Stages of this debate" onClose=${onClose}><${Diagram} live=${live} /><//>
`;

// --- given to read ---------------------------------------------------------------------------------

export function GivenPanel({ live }) {
	const given = live.state.config?.attachments ?? [];
	if (!given.length) return null;
	return html`
		<${Panel} title="Given to read">
			<ul class="given">
				${given.map((one) => html`<li key=${one.name}><${Icon} name="file" small /><span>${one.name}</span></li>`)}
			</ul>
		<//>
	`;
}

// --- spent ----------------------------------------------------------------------------------------

export function LimitsPanel({ live }) {
	const { settings, calls, unanswered, status } = live.state;
	const { usage } = live;
	const view = live.view.value;
	const isOn = status === "running";
	useSeconds(isOn && settings.max_runtime_seconds != null);
	const ran = view ? view.runtime_s + (isOn ? Math.max(0, (Date.now() - Date.parse(view.updated_at)) / 1000) : 0) : 0;
	const thought = usage.thought_tokens ?? 0;
	const answers = usage.output_tokens - thought; // the limit counts no thoughts
	const cost = usage.cost_usd == null ? "unknown" : money(usage.cost_usd);
	const limits = [
		[settings.max_runtime_seconds, "Time", ran, duration],
		[settings.max_total_output_tokens, "Tokens of answers", answers, count],
		[settings.max_cost_usd, "Cost", usage.cost_usd ?? 0, (n) => (n === usage.cost_usd || !n ? cost : money(n))],
	].filter(([most]) => most != null && most !== 0);
	const facts = [
		["Calls", count(calls - unanswered)],
		unanswered > 0 && ["Without an answer", unanswered],
		["Tokens read", count(usage.input_tokens)],
		["Written", count(answers)],
		thought > 0 && ["Thoughts", count(thought)],
		!settings.max_cost_usd && ["Cost", money(usage.cost_usd)],
	];
	if (isSample(live.state) || (!calls && !limits.length)) return null;
	return html`
		<${Panel} title=${calls ? (isElsewhere(live) ? "Spent there" : "Spent") : "Limits"}>
			${calls > 0 && html`<${Facts} rows=${facts} />`}
			${limits.map(
				([most, label, value, say]) => html`
					<${Meter}
						key=${label}
						label=${label}
						value=${value}
						most=${most}
						shown=${`${say(value)} of ${label === "Cost" ? money(most) : say(most)}`}
					/>
				`,
			)}
		<//>
	`;
}

// What was told about the debate while it ran.
export const Notes = ({ live }) =>
	live.state.notices.length > 0 &&
	html`
		<${Panel} title="Notes">
			<ul class="notes">${live.state.notices.slice(-5).map((one) => html`<li key=${one.seq}>${one.text}</li>`)}</ul>
		<//>
	`;

// Plans and thoughts are not statements: they are shown to those who ask for them.
export const PrivateSwitch = ({ live }) =>
	live.state.turns.some((turn) => turn.isPrivate || turn.reasoning) &&
	html`
		<section>
			<label class="switch">
				<input
					type="checkbox"
					role="switch"
					checked=${showsPrivate.value}
					onChange=${(event) => {
						showsPrivate.value = event.target.checked;
					}}
				/>
				<span>Show plans and thoughts</span>
			</label>
		</section>
	`;

// The line in the head: how long, how much, at what cost, and of which limit, if there is one.
export function factsOf(live) {
	const { settings, createdAt, status, turns } = live.state;
	const { usage } = live;
	if (isSample(live.state)) return "";
	const view = live.view.value;
	const limit = settings.max_cost_usd;
	const ran = view?.runtime_s ?? 0;
	const cost = money(usage.cost_usd);
	return [
		isOver(status) && createdAt && new Date(createdAt).toLocaleString(undefined, WHEN),
		ran >= 1 && duration(ran),
		status === "completed" ? null : usage.output_tokens > 0 && `${count(usage.output_tokens)} tokens`,
		usage.output_tokens > 0 &&
			!isElsewhere(live) &&
			(limit == null || usage.cost_usd == null ? cost : `${cost} of ${money(limit)}`),
		!isOver(status) && !turns.length && settings.turns && plural(settings.turns, "statement"),
	]
		.filter(Boolean)
		.join(" · ");
}
const WHEN = { day: "numeric", month: "long", hour: "2-digit", minute: "2-digit" };
