// Which model for every seat: those that can be used now, with the price of this debate, and why others cannot be.
import { html, useEffect, useLayoutEffect, useRef, useState } from "../lib/ui.js";
import { post } from "../lib/api.js";
import {
	change,
	foreseen,
	form,
	isHuman,
	modelOf,
	models,
	unnameModels,
	useModel,
	withModel,
} from "../lib/composing.js";
import { bare, full, isHere, needs, provider } from "../lib/models.js";
import { money } from "../lib/words.js";
import { Icon } from "./icons.js";
import { called, modelField, placed, SeatField } from "./seats.js";

const MOST_PRICED = 12;
const NAMED = /^[\w.-]+:\S+$/;

function about(row) {
	if (row.provider === "local") return "Built in. A toy: good for trying Moot out";
	return row.models.length ? `On this computer, by ${provider(row.provider)}` : provider(row.provider);
}

// Every model that can be chosen, and what it is.
function usable(page, now) {
	const found = new Map();
	for (const row of page?.items.filter(isHere) ?? [])
		for (const name of [row.default_model, ...row.models]) if (name) found.set(full(row, name), about(row));
	for (const name of [now, page?.debaters?.model, page?.judges?.model])
		if (name && !found.has(name)) found.set(name, provider(name.split(":")[0]));
	return found;
}

// What the debate would cost with each, asked one after the other while the list is open.
function usePrices(names, isOpen) {
	const [prices, setPrices] = useState({});
	useEffect(() => {
		if (!isOpen) return undefined;
		const abort = new AbortController();
		const now = form.value;
		const price = async (name) => {
			const body = foreseen({ ...now, ...withModel(now, name) });
			const { cost_usd: cost } = await post("/api/forecasts", body, { signal: abort.signal });
			return cost?.high ? `≈ ${money((cost.low + cost.high) / 2)}` : money(cost?.high);
		};
		(async () => {
			setPrices({});
			for (const name of names.slice(0, MOST_PRICED)) {
				const told = await price(name).catch(() => "");
				if (abort.signal.aborted) return;
				setPrices((all) => ({ ...all, [name]: told }));
			}
		})();
		return () => abort.abort();
	}, [isOpen]);
	return prices;
}

export function ModelPicker({ error }) {
	const [isOpen, setOpen] = useState(false);
	const box = useRef(null);
	const now = modelOf();
	const judge = form.value.values.model_judge || models.value?.judges?.model || now;
	const close = () => {
		setOpen(false);
		box.current.querySelector(".pickbutton").focus();
	};
	useEffect(() => {
		if (!isOpen) return undefined;
		const away = (event) => !box.current.contains(event.target) && setOpen(false);
		const events = ["pointerdown", "focusin"];
		for (const name of events) addEventListener(name, away);
		return () => {
			for (const name of events) removeEventListener(name, away);
		};
	}, [isOpen]);
	const all = usable(models.value, now);
	const hint = judge === now ? "for every seat" : `judges: ${bare(judge)}`;
	return html`
		<div
			class="picks"
			ref=${box}
			onKeyDown=${(event) => {
				if (!isOpen || event.key !== "Escape") return;
				event.stopPropagation();
				close();
			}}
		>
			<button
				type="button"
				class="pickbutton"
				aria-haspopup="listbox"
				aria-expanded=${isOpen}
				aria-invalid=${error ? "true" : undefined}
				onClick=${() => setOpen(!isOpen)}
				onKeyDown=${(event) => {
					if (isOpen || !/^Arrow(Down|Up)$/.test(event.key)) return;
					event.preventDefault();
					setOpen(true);
				}}
			>
				<span class="spring">
					<b>${bare(now) || "No model yet"}</b>${" "}
					<span class="hint">${form.value.isPerSeat ? "where no other is named" : hint}</span>
				</span>
				<${Icon} name="down" small />
			</button>
			${isOpen && html`<${List} all=${all} now=${now} close=${close} />`}
			${error && html`<p class="error" role="alert">${error}</p>`}
			<datalist id="known-models">${[...all.keys()].map((name) => html`<option value=${name} />`)}</datalist>
		</div>
	`;
}

function List({ all, now, close }) {
	const [query, setQuery] = useState("");
	const [at, setAt] = useState([...all.keys()].indexOf(now));
	const field = useRef(null);
	const prices = usePrices([...all.keys()], true);
	const typed = query.trim();
	const has = (text) => text.toLowerCase().includes(typed.toLowerCase());
	const ready = [...all].filter((one) => has(one.join(" ")));
	if (NAMED.test(typed) && !all.has(typed)) ready.push([typed, "As you typed it"]);
	const others = models.value?.items.filter((row) => !isHere(row) && has(row.provider)) ?? [];
	useLayoutEffect(() => field.current.focus(), []);
	useEffect(() => {
		document.getElementById(`model-${at}`)?.scrollIntoView({ block: "nearest" });
	}, [at]);
	const take = (name) => {
		useModel(name);
		close();
	};
	const each = () => {
		if (form.value.isPerSeat) {
			unnameModels();
			close();
			return;
		}
		change({ isPerSeat: true });
		close();
		setTimeout(() => document.querySelector(".each input")?.focus()); // once they are drawn
	};
	const onKey = (event) => {
		const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
		if (step) setAt((at + step + ready.length) % (ready.length || 1));
		else if (event.key !== "Enter") return;
		else if (ready[at]) take(ready[at][0]);
		event.preventDefault();
	};
	return html`
		<div class="menu picker">
			<input
				class="input"
				type="text"
				role="combobox"
				aria-label="Find a model"
				aria-expanded="true"
				aria-controls="ready-models"
				aria-activedescendant=${ready[at] && `model-${at}`}
				placeholder="Type to filter, or provider:name"
				spellcheck=${false}
				autocomplete="off"
				maxlength="200"
				ref=${field}
				value=${query}
				onKeyDown=${onKey}
				onInput=${(event) => {
					setQuery(event.target.value);
					setAt(0);
				}}
			/>
			<h3>${ready.length ? "Ready" : "None of that name is ready"}</h3>
			<div role="listbox" id="ready-models" aria-label="Ready models">
				${ready.map(
					([name, what], n) => html`
						<div
							key=${name}
							id=${`model-${n}`}
							class=${n === at ? "model at" : "model"}
							role="option"
							aria-selected=${name === now}
							onClick=${() => take(name)}
						>
							${name === now ? html`<${Icon} name="check" small />` : html`<span></span>`}
							<b>${bare(name)}</b>
							<span class="price">${prices[name]}</span>
							<small>${what}</small>
						</div>
					`,
				)}
			</div>
			${others.length > 0 && html`<h3>Not usable now</h3>`}
			<ul>
				${others.map(
					(row) => html`
						<li class="model off" key=${row.provider}>
							<b>${provider(row.provider)}</b>
							<small>${needs(row)}</small>
						</li>
					`,
				)}
			</ul>
			<hr />
			<button type="button" onClick=${each}>
				${form.value.isPerSeat ? "Use one model for every seat" : "Choose a model for each seat"}
			</button>
		</div>
	`;
}

// A model for each seat, in the order of the chips.
export const EachSeat = () => html`
	<fieldset class="each">
		<legend>Model of each seat</legend>
		<div class="fields">
			${placed().map(
				([row, n]) =>
					!isHuman(row) &&
					html`<${SeatField} key=${n} n=${n} id=${`model-of-${n}`} field=${modelField(row, called(row))} />`,
			)}
		</div>
		<p class="hint">Where a field is empty, the model above is used.</p>
	</fieldset>
`;
