// The fold and the markup, as pure functions. Run by node, and in Chromium by test_pure.py.
import { apply, comparePlaces, fold, newState } from "../../src/moot/web/lib/fold.js";
import {
	courseOf,
	cut,
	firstSentence,
	firstSentences,
	lastQuestion,
	namedStatement,
} from "../../src/moot/web/lib/course.js";

import { aligned, differences, isShared } from "../../src/moot/web/lib/comparing.js";

const at = "2026-01-01T00:00:00Z";
const CONFIG = {
	format: "duel",
	topic: "T",
	settings: { turns: 2 },
	participants: [
		{ id: "ada", name: "Ada" },
		{ id: "bob", name: "Bob" },
	],
};
const after = { status: "running", commands: ["stop"] };
const log = (...events) => events.map((event, n) => ({ seq: n + 1, at, after, ...event }));
const CREATED = { type: "DebateCreated", config: CONFIG };
const turn = (step_key, place, more = {}) => ({
	type: "TurnRecorded",
	step_key,
	participant: "ada",
	kind: "speak",
	stage: "s",
	round: 1,
	place,
	visibility: "public",
	content: step_key,
	flags: [],
	...more,
});

function equal(given, wanted, about) {
	if (JSON.stringify(given) !== JSON.stringify(wanted))
		throw new Error(`${about}: ${JSON.stringify(given)} is not ${JSON.stringify(wanted)}`);
}

const judged = (kind, place, about, data) =>
	turn(`${kind}/${place}`, place, { kind, about, data, participant: "jo", visibility: "private" });

const cast = (first, second, model) => [
	{ id: "ada", name: "Ada", role: "debater", stance: first, model },
	{ id: "bob", name: "Bob", role: "debater", stance: second, model },
];
const debate = (changes, ...turns) =>
	fold(log({ type: "DebateCreated", config: { ...CONFIG, settings: {}, ...changes } }, ...turns));

export const tests = {
	"two debates are told apart by what differs, and by nothing else"() {
		const a = debate({ participants: cast("pro", "con", "x:1"), settings: { turns: 2, think: true, seed: null } });
		const b = debate({ participants: cast("con", "pro", "x:2"), settings: { turns: 4, think: true, seed: null } });
		equal(differences(a, a), [], "the same");
		equal(
			differences(a, b, (name) => `The ${name}`),
			[
				["For", "Ada", "Bob"],
				["Against", "Bob", "Ada"],
				["Model", "x:1", "x:2"],
				["The turns", "2", "4"],
			],
			"swapped",
		);
		const council = debate({ format: "council", topic: "U" });
		equal(
			differences(a, council).slice(0, 2),
			[
				["Question", "T", "U"],
				["Format", "Duel", "Council"],
			],
			"formats",
		);
	},
	"what was said in both stands side by side, stage by stage and round by round"() {
		const end = { stage: "end", kind: "verdict" };
		const a = debate({}, turn("a1", [1]), turn("a2", [2], { round: 2 }), turn("ae", [3], { ...end, round: 2 }));
		const b = debate({}, turn("b1", [1]), turn("b1b", [2]), turn("be", [3], end), judged("score", [4], "ada", {}));
		const told = aligned(a, b).map((part) => [
			part.stage + part.round,
			part.pairs.map((pair) => pair.map((one) => one?.content ?? "")),
		]);
		const wanted = [
			[
				"s1",
				[
					["a1", "b1"],
					["", "b1b"],
				],
			],
			["s2", [["a2", ""]]],
			["end1", [["ae", "be"]]],
		];
		equal(told, wanted, "aligned");
		const [one, other] = [turn("x", [1]), turn("x", [1], { flags: ["inherited"] })];
		equal([isShared([one, other]), isShared([one, one]), isShared([other, undefined])], [true, false, false], "shared");
	},
	"statements are numbered, and what the judge made of one stands with it"() {
		const bob = { participant: "bob" };
		const course = courseOf(
			fold(
				log(
					CREATED,
					turn("one", [1]),
					turn("two", [3], bob),
					judged("evaluate", [2], "ada"),
					judged("score", [2, 1], "ada", { score: 7 }),
					judged("score", [4], "bob", { score: 8 }),
					judged("score", [5], "nobody", { score: 9 }),
				),
			),
		);
		equal([...course.numbers], [[2, 1], [3, 2]], "numbers"); // prettier-ignore
		equal(course.judged.get(2).score.data.score, 7, "of one");
		equal(course.judged.get(3).score.data.score, 8, "of two");
		equal([...course.under], [[4, 2], [5, 2], [6, 3]], "under"); // prettier-ignore
		equal(namedStatement("As in Statement 2, it is so.", course)?.seq, 3, "named");
		equal(namedStatement("Statement 9 decided it.", course), undefined, "not there");
	},
	"texts are cut where they may be cut"() {
		equal(cut("one two three", 8), "one two…", "at a word");
		equal(cut("x".repeat(20), 8), `${"x".repeat(8)}…`, "one long word");
		equal(firstSentence("**Yes.** And no."), "Yes.", "without marks");
		equal(firstSentence("No end"), "No end", "no stop");
		equal(firstSentences("One. Two. Three.", 10), "One. Two.", "whole ones");
		equal(firstSentences(`${"long ".repeat(9)}end. Two.`, 10).endsWith("…"), true, "one at least, cut");
		equal(firstSentences(""), "", "nothing");
		equal(lastQuestion("Why? Because. But how then? So."), "But how then?", "question");
		equal(lastQuestion("No."), "", "no question");
	},
	"turns stand by place, whenever they arrived"() {
		const state = fold(log(CREATED, turn("b", [2]), turn("a", [1, 5]), turn("c", [1, 10]), turn("d", [2])));
		equal(
			state.turns.map((one) => one.step_key),
			["a", "c", "b", "d"],
			"order",
		);
		equal(comparePlaces([1], [1, 0]) < 0, true, "prefix first");
	},
	"an event that was read before changes nothing"() {
		const events = log(CREATED, turn("a", [1]));
		const state = fold(events);
		apply(state, events[1]);
		equal(state.turns.length, 1, "turns");
	},
	"unknown events only count"() {
		const state = fold(log(CREATED, { type: "SomethingNew", x: 1 }));
		equal([state.seq, state.turns.length], [2, 0], "state");
	},
	"status and commands are what the server says"() {
		const state = newState();
		for (const [n, status] of ["created", "running", "waiting", "stopped"].entries()) {
			apply(state, {
				seq: n + 1,
				at,
				type: n ? "NoticePosted" : "DebateCreated",
				config: CONFIG,
				after: { status, commands: [status] },
			});
			equal([state.status, state.commands], [status, [status]], "after");
		}
	},
	"a debate that waited is stopped at once, and says so"() {
		const stopped = { type: "StopRequested", after: { status: "stopped", commands: [] } };
		equal(fold(log(CREATED, stopped)).stopReason, "stopped", "reason");
		equal(fold(log(CREATED, { type: "StopRequested" })).stopReason, null, "reason");
	},
	"messages nobody asked for stand after all that was said"() {
		const state = fold(
			log(
				CREATED,
				{ type: "DebateStarted" },
				turn("a", [1, 2]),
				{ type: "MessageSaid", participant: "bob", content: "x" },
				{ type: "MessageSaid", participant: "bob", content: "y" },
				turn("b", [1, 3]),
			),
		);
		equal(
			state.turns.map((one) => one.content),
			["a", "x", "y", "b"],
			"order",
		);
	},
	"scores are told apart, and an excluded turn is another object"() {
		const score = { kind: "score", visibility: "private", participant: "jo", about: "bob", data: { score: 7 } };
		const said = turn("x", [1], { participant: "bob" });
		const state = fold(
			log(CREATED, said, turn("a", [2]), turn("y", [3], score), turn("z", [4], { ...score, about: "" })),
		);
		equal(
			state.scores.map((one) => [one.of, one.by, one.statement]),
			[
				["bob", "jo", 2],
				["ada", "jo", 3],
			],
			"scores",
		);
		const before = state.turns[1];
		apply(state, { seq: 6, at, after, type: "TurnExcluded", turn: 3 });
		equal([before.included, state.turns[1].included, state.turns[1] === before], [true, false, false], "identity");
	},
	"edges are counted, to the end too"() {
		const state = fold(
			log(
				CREATED,
				{ type: "DebateStarted" },
				{ type: "StageEntered", stage: "a", round: 1 },
				{ type: "StageEntered", stage: "a", round: 2 },
				{ type: "DebateCompleted", stop_reason: "done" },
			),
		);
		equal(
			[...state.visits],
			[
				[">a", 1],
				["a>a", 1],
				["a>", 1],
			],
			"visits",
		);
	},
};

export function run() {
	const failed = [];
	for (const [name, test] of Object.entries(tests))
		try {
			test();
		} catch (error) {
			failed.push(`${name}: ${error.message}`);
		}
	return failed;
}

// The golden logs as the stream sends them: the same state as the server's own fold.
export function golden(frames, expected) {
	const state = fold(frames);
	equal(
		[state.status, state.stage, state.round, state.seq, state.statements, state.calls, state.stopReason],
		["status", "stage", "round", "seq", "statements", "calls", "stop_reason"].map((name) => expected.state[name]),
		"state",
	);
	equal(
		state.turns.map((one) => one.step_key),
		expected.turns.map((line) => line.split(" ")[0]),
		"turns",
	);
	equal(
		state.turns.filter((one) => one.is_pending).map((one) => one.seq),
		expected.pending,
		"pending",
	);
	equal([...state.questions.keys()], Object.keys(expected.state.questions), "questions");
	equal(state.usage.output_tokens, expected.state.usage.output_tokens, "tokens");
	equal(state.usage.thought_tokens, expected.state.usage.thought_tokens, "thoughts");
}

if (globalThis.process?.argv) {
	const { test } = await import("node:test");
	for (const [name, check] of Object.entries(tests)) test(name, check);
}
