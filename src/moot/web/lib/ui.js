// What every component needs, under one name.
import { h, render, Fragment } from "../vendor/preact.js";
import htm from "../vendor/htm.js";

export { h, render, Fragment };
export {
	useEffect,
	useLayoutEffect,
	useRef,
	useState,
	useMemo,
	useCallback,
	useErrorBoundary,
	useId,
} from "../vendor/hooks.js";
export { signal, computed, effect, batch, useSignal, useComputed, useSignalEffect } from "../vendor/signals.js";

export const html = htm.bind(h);
