// Manual pacing: answers wait in the flow, under what they answer, until somebody chooses which of them are heard.
import { html, useState } from "../lib/ui.js";
import { called, tone } from "../lib/people.js";
import { FaceOf } from "../parts/bits.js";
import { Icon } from "../parts/icons.js";
import { Typing, Words } from "./room_message.js";
import { allows, isBusy, isChoosing, isYou, listed, offeredNow, pendingOf, roomOf, silentNow } from "./room_state.js";

export function Choose({ live }) {
	const { unchecked } = roomOf(live);
	const [isSending, setSending] = useState(false);
	const cards = pendingOf(live.state);
	const coming = offeredNow(live);
	if (!isChoosing(live)) return null;
	const chosen = cards.filter((turn) => !unchecked.value.has(turn.seq));
	const pick = (seq) => {
		const now = new Set(unchecked.value);
		if (!now.delete(seq)) now.add(seq);
		unchecked.value = now;
	};
	const settle = async (turns) => {
		setSending(true);
		if (await live.send("POST", "/pending", { include: turns.map((turn) => turn.seq) })) unchecked.value = new Set();
		setSending(false);
	};
	const isOff = isSending || !allows(live, "pending");
	const asked = live.state.turns.findLast((turn) => !turn.is_pending && !turn.is_silent && !turn.isPrivate);
	const whom = asked && (isYou(live, asked.participant) ? "you" : called(live, asked.participant));
	return html`
		<section class="choose" aria-labelledby="choose">
			<header>
				<h2 id="choose">${asked ? `Who shall answer ${whom}?` : "Who shall begin?"}</h2>
				<span class="hint">Only what you choose is heard by the others.</span>
			</header>
			<ul class="offers" aria-label="Answers to choose from">
				${cards.map(
					(turn) => html`
						<${Offer}
							key=${turn.seq}
							live=${live}
							turn=${turn}
							isChosen=${chosen.includes(turn)}
							onPick=${() => pick(turn.seq)}
						/>
					`,
				)}
				${coming.map((entry) => html`<${Coming} key=${entry.step} live=${live} entry=${entry} />`)}
				${silentNow(live.state).map(
					(id) => html`
						<li key=${id} class=${`offer none ${tone(live, id)}`}>
							<header><${FaceOf} live=${live} id=${id} size="s" /><span>${called(live, id)}</span></header>
							<p>Has nothing to add.</p>
						</li>
					`,
				)}
			</ul>
			${
				cards.length > 0 &&
				html`
					<div class="actions">
						${
							chosen.length > 0 &&
							html`
								<button class="btn primary" disabled=${isOff} onClick=${() => settle(chosen)}>
									${spoken(live, chosen, cards.length)}
								</button>
							`
						}
						<button class="btn quiet" disabled=${isOff} onClick=${() => settle([])}>
							${cards.length > 1 ? "None of these" : "Not this one"}
						</button>
					</div>
				`
			}
		</section>
	`;
}

function spoken(live, chosen, many) {
	const names = chosen.map((turn) => called(live, turn.participant));
	return names.length === many && many > 2 ? `Let all ${many} speak` : `Let ${listed(names)} speak`;
}

function Offer({ live, turn, isChosen, onPick }) {
	const name = called(live, turn.participant);
	// A click anywhere chooses, but not one that follows a link or marks text.
	const onClick = (event) => {
		if (!event.target.closest("a, button, input, summary") && !String(getSelection())) onPick();
	};
	return html`
		<li class=${`offer ${isChosen ? "on" : ""} ${tone(live, turn.participant)}`} onClick=${onClick}>
			<header>
				<${FaceOf} live=${live} id=${turn.participant} size="s" />
				<span>${name}</span>
				<button
					class="btn quiet icon small"
					title="Answer again"
					aria-label=${`Let ${name} answer again`}
					disabled=${isBusy(live)}
					onClick=${() => live.send("POST", `/participants/${turn.participant}/again`)}
				>
					<${Icon} name="retry" small />
				</button>
				<input type="checkbox" checked=${isChosen} aria-label=${`Choose ${name}’s answer`} onChange=${onPick} />
			</header>
			<div class="offer-text" tabindex="0" role="group" aria-label=${`${name}’s answer`}>
				<${Words} live=${live} text=${turn.content ?? ""} small />
			</div>
		</li>
	`;
}

const Coming = ({ live, entry }) => html`
	<li class=${`offer ${tone(live, entry.participant)}`} aria-busy="true">
		<header>
			<${FaceOf} live=${live} id=${entry.participant} size="s" />
			<span>${called(live, entry.participant)}</span>
			<${Typing} />
		</header>
		<${Words} live=${live} text=${entry.text.value} small isGrowing />
	</li>
`;
