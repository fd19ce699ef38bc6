// What is around every page: the head with its links, messages, the question for the server's token.
import { html, useEffect, useRef } from "../lib/ui.js";
import { path } from "../lib/route.js";
import { dismiss, toasts } from "../lib/toasts.js";
import { NEXT, theme } from "../lib/theme.js";
import { token, wantsToken } from "../lib/api.js";
import { Icon } from "./icons.js";

const PAGES = [
	["/", "Debates"],
	["/personas", "Personas"],
	["/panels", "Panels"],
	["/models", "Models"],
	["/judges", "Judges"],
];
const ICONS = { system: "half", light: "sun", dark: "moon" };

const isAt = (to) => path.value === to || (to === "/" && /^\/(?:new|debates\/)/.test(path.value));

export function Shell({ children }) {
	const before = useRef(null); // what had the focus before a message got it, and has it again afterwards
	const onFocus = ({ currentTarget, relatedTarget }) => {
		if (!currentTarget.contains(relatedTarget)) before.current = relatedTarget;
	};
	const leave = ({ id }) => {
		dismiss(id);
		before.current?.focus({ preventScroll: true });
	};
	return html`
		<a class="skip" href="#main">Skip to content</a>
		<header class="top">
			<div class="top-in">
				<a class="brand" href="/" aria-label="Moot, home">
					<img src="/static/icon.svg" alt="" width="28" height="28" />
					<span>Moot</span>
				</a>
				<nav class="nav" aria-label="Pages">
					${PAGES.map(([to, name]) => html`<a href=${to} aria-current=${isAt(to) ? "page" : undefined}>${name}</a>`)}
				</nav>
				<span class="spring"></span>
				<a class="find" href="/#find" aria-label="Search debates" aria-keyshortcuts="/">
					<${Icon} name="search" small />
					<span class="spring">Search debates</span>
					<kbd>/</kbd>
				</a>
				<button
					class="btn quiet icon"
					onClick=${() => {
						theme.value = NEXT[theme.value];
					}}
					aria-label=${`Colours: ${theme.value}. Change to ${NEXT[theme.value]}`}
					title=${`Colours: ${theme.value}`}
				>
					<${Icon} name=${ICONS[theme.value]} />
				</button>
				<a class="btn primary" href="/new" aria-label="New debate">
					<${Icon} name="plus" />
					<span>New debate</span>
				</a>
			</div>
		</header>
		<main class="page" id="main" tabindex="-1">
			${wantsToken.value ? html`<${TokenForm} />` : children}
		</main>
		<div class="toasts" role="status" aria-live="polite" onfocusin=${onFocus}>
			${toasts.value.map(
				(one) => html`
					<div class=${`toast ${one.kind}`} key=${one.id}>
						<span>${one.text}</span>
						${
							one.action &&
							html`
								<button
									class="btn small"
									onClick=${() => {
										leave(one);
										one.action.run();
									}}
								>
									${one.action.name}
								</button>
							`
						}
						<button
							class="btn quiet icon small"
							aria-label="Dismiss"
							onClick=${() => {
								leave(one);
								one.onEnd?.();
							}}
						>
							<${Icon} name="close" />
						</button>
					</div>
				`,
			)}
		</div>
	`;
}

function TokenForm() {
	const field = useRef(null);
	useEffect(() => field.current?.focus(), []);
	const enter = (event) => {
		event.preventDefault();
		token.set(field.current.value.trim());
		location.reload();
	};
	return html`
		<form class="card token" onSubmit=${enter}>
			<h1>This server asks for its token</h1>
			<p>
				It is the value of <code>MOOT_TOKEN</code> that the server was started with. It is kept until this tab
				is closed.
			</p>
			<label class="field">
				<span>Token</span>
				<input class="input" ref=${field} type="password" autocomplete="off" required />
			</label>
			${token.get() && html`<p class="error" role="alert">The token that was given is not the right one.</p>`}
			<button class="btn primary">Enter</button>
		</form>
	`;
}
