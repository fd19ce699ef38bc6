// What a bench came to, in the server's words: below the debate that it was asked about, and as the hearing's outcome.
import { html, useEffect } from "../lib/ui.js";
import { ago, isOver, served, status as worded } from "../lib/words.js";
import { ASKED, Labels } from "./labels.js";
import { Heading } from "./verdict.js";

const LOOK_MS = 3000;
const meant = (status) => served.certificates?.[status];
// Commands stand between backticks.
const coded = (text) => text.split("`").map((part, n) => (n % 2 ? html`<code>${part}</code>` : part));
const capital = (text) => text.replace(/^./u, (c) => c.toUpperCase());

// --- below a debate --------------------------------------------------------------------------------

export function Bench({ live, open }) {
	const { certificate, hearings, can_be_heard: isLabelled } = live.view.value;
	const others = hearings.filter((one) => one.id !== certificate?.hearing);
	const isHeard = hearings.some((one) => !isOver(one.status));
	useEffect(() => {
		if (!isHeard) return undefined;
		const timer = setInterval(() => !document.hidden && live.look(), LOOK_MS);
		return () => clearInterval(timer);
	}, [isHeard]);
	if (!certificate && !hearings.length)
		return html`
			<section class="card bench-said" aria-label=${ASKED}><${Labels} live=${live} open=${open} /></section>
		`;
	return html`
		<section class="card bench-said" aria-labelledby="bench-said">
			${
				certificate
					? html`
						<h2 id="bench-said" dir="auto">${certificate.headline}</h2>
						<p dir="auto">${certificate.lines[0]}</p>
						<details class="fold">
							<summary>Ballots and details</summary>
							<${Told} told=${certificate} />
							${
								certificate.hearing !== live.id &&
								html`<p><a href=${`/debates/${certificate.hearing}`}>The hearing, ballot by ballot</a></p>`
							}
						</details>
					`
					: html`<h2 id="bench-said">Asked of a bench</h2>`
			}
			${others.length > 0 && html`<${Others} hearings=${others} hasFirst=${Boolean(certificate)} />`}
			${isLabelled && html`<${Labels} live=${live} open=${open} />`}
		</section>
	`;
}

function Others({ hearings, hasFirst }) {
	const now = hearings.filter((one) => !isOver(one.status));
	const before = hearings.filter((one) => isOver(one.status));
	return html`
		<div role="status">
			${now.map(
				(one) => html`
					<p key=${one.id}>
						<a href=${`/debates/${one.id}`}>${one.status === "running" ? "A bench is being asked now" : "A hearing"}</a>
						${one.status !== "running" && `: ${worded(one.status).label.toLowerCase()}`}
						${" "}<time class="hint" datetime=${one.created_at}>${ago(one.created_at)}</time>
					</p>
				`,
			)}
		</div>
		${
			before.length > 0 &&
			html`
				<details class="fold" open=${!hasFirst}>
					<summary>${hasFirst ? "Other hearings" : "Hearings"} (${before.length})</summary>
					<ul>
						${before.map(
							(one) => html`
								<li key=${one.id}>
									<a href=${`/debates/${one.id}`} dir="auto">${one.headline || worded(one.status).label}</a>
									${" "}<time class="hint" datetime=${one.created_at}>${ago(one.created_at)}</time>
								</li>
							`,
						)}
					</ul>
				</details>
			`
		}
	`;
}

// The ballots, and what is said of them except the first line.
const Told = ({ told: { table, lines, right } }) => html`
	<${Ballots} table=${table} />
	<ul class="lines">${lines.slice(1).map((line) => html`<li key=${line} dir="auto">${line}</li>`)}</ul>
	${right && html`<p><b>Right?</b> ${coded(capital(right))}${/[.!?]$/.test(right) ? "" : "."}</p>`}
	<p><a href="/judges">What is known of judges</a></p>
`;

function Ballots({ table: [head, ...rows] }) {
	return html`
		<div class="scroll-x" tabindex="0" role="region" aria-label="Ballots">
			<table class="ballots">
				<caption class="unseen">Ballots of each judge in both orders</caption>
				<thead>
					<tr>
						${head.map(
							(text, n) => html`
								<th key=${n} scope="col" dir="auto">${text || html`<span class="unseen">Judge</span>`}</th>
							`,
						)}
					</tr>
				</thead>
				<tbody>
					${rows.map(
						([name, ...votes]) => html`
							<tr key=${name}>
								<th scope="row" dir="auto">${name}</th>
								${votes.map((vote, n) => html`<td key=${n} dir="auto">${vote}</td>`)}
							</tr>
						`,
					)}
				</tbody>
			</table>
		</div>
	`;
}

// --- as an outcome ---------------------------------------------------------------------------------

export function Certified({ live }) {
	const { outcome } = live.state;
	const told = live.view.value?.certificate;
	return html`
		<div class="outcome-main bare">
			<div>
				<${Heading}><span dir="auto">${outcome.headline}</span><//>
				<p dir="auto">${told ? told.lines[0] : outcome.is_finished && meant(outcome.status)?.meaning}</p>
			</div>
		</div>
		${told && html`<div class="within bench-said"><${Told} told=${told} /></div>`}
		${outcome.doubts.length > 0 && html`<div class="within"><p class="hint">${outcome.doubts.join(" ")}</p></div>`}
	`;
}

// The outcome of an exam: a line for each figure.
export function Examined({ live }) {
	const { outcome } = live.state;
	const lines = live.view.value?.exam?.lines ?? [];
	return html`
		<div class="outcome-main bare">
			<div><${Heading}><span dir="auto">${outcome.headline}</span><//></div>
		</div>
		<div class="within">
			<ul class="lines">${lines.map((line) => html`<li key=${line}>${line}</li>`)}</ul>
			<p><a href="/judges">All judges</a></p>
		</div>
		${outcome.doubts.length > 0 && html`<div class="within"><p class="hint">${outcome.doubts.join(" ")}</p></div>`}
	`;
}
