// A room: a conversation under the labels of its members, answers to choose from in its flow, and a place to write.
import { html, useEffect, useLayoutEffect, useRef } from "../lib/ui.js";
import { hash } from "../lib/route.js";
import { plural } from "../lib/words.js";
import { say } from "../lib/toasts.js";
import { Transcript } from "../parts/transcript.js";
import { LimitsPanel } from "../parts/panels.js";
import { formsOf } from "../parts/questions.js";
import { Verdict } from "../parts/verdict.js";
import { Choose } from "./room_choose.js";
import { Labels } from "./room_labels.js";
import { Message, Speaking, Told, lastFailures, wordsOf } from "./room_message.js";
import { Say } from "./room_say.js";
import { isChoosing, isYou, itemsOf, lastAnswers } from "./room_state.js";

function Main({ live, onFork }) {
	const { state } = live;
	const last = lastAnswers(state);
	const failed = lastFailures(state.notices);
	const target = Number(/^#turn-(\d+)$/.exec(hash.value)?.[1] ?? 0);
	const writing = [...live.writing.value.values()];
	const isSilent = !state.turns.length && !writing.length;
	// Items without a `step_key` are left to `draw` by the transcript.
	const items = itemsOf(state).map((one) => (one.step_key && !one.isPrivate ? { seq: one.seq, turn: one } : one));
	// While there are offers, they tell who has nothing to add.
	if (isChoosing(live) && items.at(-1)?.code === "skipped") items.pop();
	const draw = ({ turn, ...notice }) =>
		turn
			? html`
				<${Message}
					key=${turn.seq}
					live=${live}
					turn=${turn}
					isTarget=${turn.seq === target}
					isLastAnswer=${last.get(turn.participant) === turn.seq}
					onFork=${onFork}
				/>
			`
			: html`
				<${Told}
					key=${`n${notice.seq}`}
					live=${live}
					notice=${notice}
					isLastFailure=${failed.get(notice.participant) === notice.seq}
				/>
			`;
	return html`
		<div class="room">
			<h2 class="unseen">What was said</h2>
			<${Transcript}
				live=${live}
				onFork=${onFork}
				items=${items}
				writing=${writing.filter((entry) => entry.visibility === "private")}
				draw=${draw}
				pinned=${state.pacing === "manual" && mineIn(live)}
				empty=${isSilent ? html`<${Empty} live=${live} />` : " "}
				after=${html`
					${isSilent && items.length > 0 && html`<${Empty} live=${live} />`}
					${
						state.pacing === "auto" &&
						writing
							.filter((entry) => entry.visibility !== "private")
							.map((entry) => html`<${Speaking} key=${entry.step} live=${live} entry=${entry} />`)
					}
					<${Choose} live=${live} />
					${formsOf(live).get(0)}
					<${Verdict} live=${live} />
				`}
			/>
			<${Watch} live=${live} />
		</div>
	`;
}

const ANSWERING = {
	auto: "They answer one after the other, and go on talking until they have nothing to add.",
	manual: "They all answer, and you choose which answers the others hear.",
};

function Empty({ live }) {
	const { participants, pacing } = live.state;
	if (!live.isCaughtUp.value) return null;
	return html`
		<div class="empty">
			<h2>${plural(participants.size, "member")} ${participants.size === 1 ? "is" : "are"} listening</h2>
			<p>Say something below. ${ANSWERING[pacing]} Write <b>@</b> and a name to ask one of them first.</p>
		</div>
	`;
}

// The sequence number of one's own last message.
const mineIn = (live) =>
	live.state.turns.findLast((turn) => turn.step_key.startsWith("said/") && isYou(live, turn.participant))?.seq;

// A conversation opens at its end. One's own message comes into view, and stays there while answers come below it.
// There is a toast for what is told while somebody looks, but not for what was told long ago.
function Watch({ live }) {
	const seen = useRef(null);
	const { notices, seq, turns } = live.state;
	const mine = mineIn(live);
	const isReady = live.isCaughtUp.value;
	const said = useRef(null);
	useLayoutEffect(() => {
		if (!isReady) return;
		const isNew = said.current !== null && said.current !== mine;
		said.current = mine ?? 0;
		if (isNew) document.getElementById(`turn-${mine}`)?.scrollIntoView({ block: "center" });
	}, [isReady, mine]);
	useEffect(() => {
		if (isReady && turns.length && !hash.value) scrollTo(0, document.documentElement.scrollHeight);
	}, [isReady]);
	useEffect(() => {
		if (!isReady) return;
		seen.current ??= live.openedSeq ?? seq;
		for (const one of notices)
			if (one.seq > seen.current && one.code === "context_warning") say(wordsOf(live, one), { ms: 12_000 });
		seen.current = seq;
	}, [seq, isReady]);
	return null;
}

export const room = {
	Main,
	Bar: Labels,
	Composer: Say,
	Side: ({ live }) => html`<${LimitsPanel} live=${live} />`,
	Now: () => null,
	tellsNotices: true,
};
