// What stands beside a transcript: who takes part, where it is, scores, limits.
import { html, useEffect, useState } from "../lib/ui.js";
import { once } from "../lib/api.js";
import { count, doing, duration, isOver, money, plural, written } from "../lib/words.js";
import { tint } from "../lib/people.js";
import { Avatar, Meter, Stance } from "./bits.js";
import { StageDiagram } from "./diagram.js";
import { ScoreChart } from "./chart.js";
import { Dots } from "./turn.js";

export const Panel = ({ title, children, id }) => html`
	<section class="panel" aria-labelledby=${`panel-${id}`}>
		<h2 id=${`panel-${id}`}>${title}</h2>
		${children}
	</section>
`;

export function useFormat(id) {
	const [form, setForm] = useState(null);
	useEffect(() => {
		if (id) once(`/api/formats/${id}`).then(setForm, () => {});
	}, [id]);
	return form;
}

export function PeoplePanel({ live }) {
	const { participants, status } = live.state;
	const writing = [...live.writing.value.values()];
	const next = isOver(status)
		? []
		: (live.view.value?.upcoming ?? [live.view.value?.cursor?.next_actor]).filter(Boolean);
	return html`
		<${Panel} id="people" title="Participants">
			<ul class="people">
				${[...participants.values()].map((one) => {
					const work = writing.find((entry) => entry.participant === one.id);
					const waits = [...live.state.questions.values()].some((question) => question.participant === one.id);
					return html`
						<li key=${one.id}>
							<${Avatar} name=${one.name} tint=${tint(live, one.id)} isHuman=${one.model === "human"} />
							<div>
								<b>${one.name}</b> <${Stance} stance=${one.stance} />
								<small>${[one.title, one.role].filter(Boolean).join(" · ")}</small>
								${one.argues && html`<small class="argues">argues ${one.argues}</small>`}
								<small class="model">${one.model === "human" ? "a person" : one.model}</small>
							</div>
							<span class="doing">
								${work && html`${doing(work.kind)}<${Dots} />`}
								${!work && (waits ? "asked" : next.includes(one.id) && "next")}
							</span>
						</li>
					`;
				})}
			</ul>
		<//>
	`;
}

export function StagePanel({ live }) {
	const { format, stage, visits, status } = live.state;
	const form = useFormat(format);
	return (
		form &&
		html`
			<${Panel} id="stages" title="Where it stands">
				<${StageDiagram} form=${form} stage=${stage} visits=${visits} isOver=${isOver(status)} />
			<//>
		`
	);
}

export const ScorePanel = ({ live }) =>
	live.state.scores.length ? html`<${Panel} id="scores" title="Scores"><${ScoreChart} live=${live} /><//>` : null;

function useSeconds(isOn) {
	const [, tick] = useState(0);
	useEffect(() => {
		if (!isOn) return undefined;
		const timer = setInterval(() => tick((n) => n + 1), 1000);
		return () => clearInterval(timer);
	}, [isOn]);
}

export function LimitsPanel({ live }) {
	const { settings, statements, calls, unanswered, round, status } = live.state;
	const { usage } = live;
	const view = live.view.value;
	const isOn = status === "running" && settings.max_runtime_seconds != null;
	useSeconds(isOn);
	const ran = view ? view.runtime_s + (isOn ? Math.max(0, (Date.now() - Date.parse(view.updated_at)) / 1000) : 0) : 0;
	const answers = usage.output_tokens - (usage.thought_tokens ?? 0); // the limit counts no thoughts
	const rows = [
		settings.turns && ["Statements", statements, settings.turns, `${statements} of ${settings.turns}`],
		settings.max_rounds && ["Rounds", round, settings.max_rounds, `${round} of ${settings.max_rounds}`],
		settings.max_runtime_seconds != null && [
			"Time",
			ran,
			settings.max_runtime_seconds,
			`${duration(ran)} of ${duration(settings.max_runtime_seconds)}`,
		],
		settings.max_total_output_tokens != null && [
			"Tokens of answers",
			answers,
			settings.max_total_output_tokens,
			`${count(answers)} of ${count(settings.max_total_output_tokens)}`,
		],
		settings.max_cost_usd != null && [
			"Cost",
			usage.cost_usd ?? 0,
			settings.max_cost_usd,
			`${usage.cost_usd == null ? "unknown" : money(usage.cost_usd)} of ${money(settings.max_cost_usd)}`,
		],
	].filter(Boolean);
	return html`
		<${Panel} id="limits" title="Limits and spending">
			${rows.map(([label, value, most, shown]) => html`<${Meter} key=${label} ...${{ label, value, most, shown }} />`)}
			<p class="spent">
				${plural(calls - unanswered, "call")}${unanswered ? `, ${unanswered} without an answer` : ""}
				· ${count(usage.input_tokens)} tokens read
				· ${written(usage, "written")} · ${money(usage.cost_usd)}
			</p>
		<//>
	`;
}
