// A room: labels above, the conversation with what was told in between, answers to choose from and the input below.
import { html, useEffect, useRef, useState } from "../lib/ui.js";
import { hash } from "../lib/route.js";
import { count, isOver, plural } from "../lib/words.js";
import { say } from "../lib/toasts.js";
import { Transcript } from "../parts/transcript.js";
import { LimitsPanel, Panel, StagePanel } from "../parts/panels.js";
import { Verdict } from "../parts/verdict.js";
import { Questions } from "../parts/questions.js";
import { Face, Meter, useLeft } from "../parts/bits.js";
import { Icon } from "../parts/icons.js";
import { Labels } from "./room_labels.js";
import { Foot } from "./room_foot.js";
import { allows, isBusy, itemsOf, lastAnswers, roomOf, whyNot } from "./room_state.js";

const NEAR_PX = 700;
const FAILURES = new Set(["failed", "rate_limit", "paused_rate_limited"]);
const ERRORS = new Set([...FAILURES, "context_full"]);

function Main({ live, onFork }) {
	const { state } = live;
	const { notices, turns } = state;
	const last = lastAnswers(state);
	const failed = lastFailures(state.notices);
	const writing = [...live.writing.value.values()].filter(
		(entry) => state.pacing !== "manual" || entry.visibility === "private",
	);
	return html`
		<${Transcript}
			live=${live}
			onFork=${onFork}
			items=${itemsOf(state)}
			writing=${writing}
			extra=${(turn) => html`<${Include} live=${live} turn=${turn} />`}
			more=${(turn) => actionsOf(live, turn, last)}
			draw=${(notice) => html`
				<${Told}
					key=${`n${notice.seq}`}
					live=${live}
					notice=${notice}
					isLast=${failed.get(notice.participant) === notice.seq}
				/>
			`}
			empty=${html`<${Empty} live=${live} />`}
			after=${html`
				${notices.length > 0 && !turns.length && !writing.length && html`<${Empty} live=${live} />`}
				<${Questions} live=${live} />
				<${Verdict} live=${live} />
			`}
		/>
		<${Watch} live=${live} />
	`;
}

const ANSWERING = {
	auto: "They answer one after the other, and go on talking until they have nothing to add.",
	manual: "They all answer, and you choose which answers count.",
};

function Empty({ live }) {
	const { participants, pacing } = live.state;
	return html`
		<div class="empty room-empty">
			<h2>${plural(participants.size, "member")} ${participants.size === 1 ? "is" : "are"} listening</h2>
			<p>
				Say something below.${" "}
				${ANSWERING[pacing]}
				${" "}Write <b>@</b> and a name to ask one of them first.
			</p>
		</div>
	`;
}

// Whether members read it. What is left out stays, faded.
function Include({ live, turn }) {
	const [wanted, setWanted] = useState(null); // until the log says so
	useEffect(() => setWanted(null), [turn.included]);
	const change = async ({ target }) => {
		setWanted(target.checked);
		if (!(await live.send("PATCH", `/turns/${turn.seq}`, { included: target.checked }))) setWanted(null);
	};
	return html`
		<label class="include" title=${turn.included ? "Members read this" : "Left out: no member reads this"}>
			<input
				type="checkbox"
				checked=${wanted ?? turn.included}
				disabled=${!allows(live, "include")}
				onChange=${change}
				aria-label=${`Let members read this message of ${live.person(turn.participant).name}`}
			/>
		</label>
	`;
}

function actionsOf(live, turn, last) {
	if (isOver(live.state.status) || isBusy(live)) return [];
	if (turn.step_key.startsWith("said/"))
		return [
			{
				name: "Edit and say again",
				icon: "retry",
				run: () => {
					roomOf(live).editing.value = turn;
				},
			},
		];
	return last.get(turn.participant) === turn.seq && live.state.participants.has(turn.participant)
		? [{ name: "Answer again", icon: "retry", run: () => live.send("POST", `/participants/${turn.participant}/again`) }]
		: [];
}

// --- what was told --------------------------------------------------------------------------------

const lastFailures = (notices) =>
	new Map(notices.filter((one) => FAILURES.has(one.code)).map((one) => [one.participant, one.seq]));

function Told({ live, notice, isLast }) {
	if (!ERRORS.has(notice.code)) return html`<p class="told">${notice.text}</p>`;
	const canRetry = isLast && live.view.value?.room?.failed.includes(notice.participant);
	return html`
		<div class="room-error">
			<p>${notice.text}</p>
			${canRetry && html`<${Retry} live=${live} id=${notice.participant} />`}
		</div>
	`;
}

function Retry({ live, id }) {
	const left = useLeft(live.view.value?.room?.rate_limited?.until);
	return html`
		<button
			class="button small"
			disabled=${left > 0 || isBusy(live)}
			aria-label=${`Retry ${live.person(id).name}`}
			onClick=${() => live.send("POST", `/participants/${id}/retry`)}
		>
			<${Icon} name="retry" />
			<span>${left > 0 ? `Retry in ${left} s` : "Retry"}</span>
		</button>
	`;
}

// A conversation opens at its end, and stays there while cards and questions come. A toast for what is told while
// somebody looks, not for what was told long ago.
function Watch({ live }) {
	const seen = useRef(null);
	const { notices, seq, turns } = live.state;
	const asks = (live.view.value?.questions.length ?? 0) + turns.filter((turn) => turn.is_pending).length;
	const isReady = live.isCaughtUp.value;
	useEffect(() => {
		const { scrollHeight } = document.documentElement;
		const isFirst = seen.current === null;
		if (isReady && turns.length && !hash.value && (isFirst || scrollHeight - innerHeight - scrollY < NEAR_PX))
			scrollTo(0, scrollHeight);
	}, [isReady, asks, whyNot(live)]);
	useEffect(() => {
		if (!isReady) return;
		seen.current ??= live.openedSeq ?? seq;
		for (const one of notices)
			if (one.seq > seen.current && one.code === "context_warning") say(one.text, { ms: 12_000 });
		seen.current = seq;
	}, [seq, isReady]);
	return null;
}

// --- beside it ------------------------------------------------------------------------------------

function ContextPanel({ live }) {
	const context = new Map((live.view.value?.room?.context ?? []).map((one) => [one.participant, one]));
	return html`
		<${Panel} id="context" title="Members, and how full their windows are">
			<ul class="people windows">
				${[...live.state.participants.values()].map((one) => {
					const { tokens = 0, window, share, is_assumed } = context.get(one.id) ?? {};
					const isHuman = one.model === "human";
					return html`
						<li key=${one.id} class=${one.muted ? "muted" : ""}>
							<${Face} live=${live} id=${one.id} />
							<div>
								${
									window
										? html`
											<${Meter}
												label=${one.name}
												value=${tokens}
												most=${window}
												shown=${`${Math.round(100 * share)} % of ${count(window)}${is_assumed ? ", assumed" : ""}`}
											/>
										`
										: html`
											<b>${one.name}</b>
											${!isHuman && html`<small>${plural(tokens, "token")}, of a window nobody knows</small>`}
										`
								}
								<small class="model">${isHuman ? "a person" : one.model}</small>
							</div>
						</li>
					`;
				})}
			</ul>
		<//>
	`;
}

export const room = {
	Main,
	Bar: Labels,
	Composer: Foot,
	Side: ({ live }) => html`
		<${ContextPanel} live=${live} />
		<${LimitsPanel} live=${live} />
		<${StagePanel} live=${live} />
	`,
	Now: () => null,
	tellsNotices: true,
};
