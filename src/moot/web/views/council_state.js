// A council as its page shows it: what the server says of its rounds, with the turns themselves.
const OUT = "sat_out";

export const textOf = (turn) => turn?.data?.proposal || turn?.content || "";

// {members, judge, rounds, columns: [{number, title, measures, cells: Map(id -> cell)}],
// clarifications, worth, cautions, satOut}
export function councilOf(live) {
	const { participants, notices, bySeq } = live.state;
	const seen = live.view.value?.council;
	const everybody = [...participants.values()];
	const members = everybody.filter((one) => one.role === "member");
	const rounds = seen?.rounds ?? [];
	const turn = (seq) => bySeq.get(seq) ?? null;
	const column = (number) => ({
		number,
		title: number ? `After round ${number}` : "First proposals",
		measures: number ? rounds[number - 1] : null,
		cells: new Map(members.map(({ id }) => [id, cellOf(rounds, number, id, members, turn)])),
	});
	return {
		members,
		rounds,
		judge: everybody.find((one) => one.role === "judge"),
		columns: rounds.length ? [0, ...rounds.map((one) => one.round)].map(column) : [],
		clarifications: (seen?.clarifications ?? []).filter((one) => one.answer !== null && !one.same_as),
		worth: seen?.worth ?? "",
		cautions: seen?.cautions ?? [],
		satOut: new Set([
			...notices.filter((one) => one.code === OUT).map((one) => one.participant),
			...(seen?.sat_out ?? []),
		]),
	};
}

// A member's position after a round and before it, and what the others said of it in the next round.
// `key` is that of the step that says it, or will say it.
function cellOf(rounds, number, id, members, turn) {
	const [own, next] = [rounds[number - 1], rounds[number]];
	const before = turn(own?.proposals[id]);
	const said = turn(number ? own.refinements[id] : next.proposals[id]);
	// A member that passes the refinement keeps its proposal as it was.
	const isKept = (number && said?.flags?.includes("passed")) || false;
	const critics = next ? members.filter((other) => other.id !== id) : [];
	const critiques = critics.map(({ id: by }) => {
		const found = next.critiques.find((one) => one.by === by && one.of === id);
		return { by, key: `critique/${next.round}/${by}/critique/${id}`, label: found?.label, turn: turn(found?.turn_id) };
	});
	const ratings = critiques.map((row) => row.turn?.data?.rating).filter((rating) => rating != null);
	return {
		said,
		before,
		isKept,
		critiques,
		text: textOf(isKept ? before : said),
		isHidden: said?.flags?.includes("hidden") ?? false,
		key: number ? `refinement/${number}/${id}/refine` : `proposal/1/${id}/propose`,
		rating: ratings.length ? Math.round(ratings.reduce((a, b) => a + b, 0) / ratings.length) : null,
		// The author knows the critics of the round only by their labels; readers see the names.
		critics: new Map((own?.critiques ?? []).filter((one) => one.of === id).map((one) => [one.label, one.by])),
	};
}

// A solution's heading or first sentence as its title, and the rest; no title if neither is short enough.
export function titled(text) {
	const [first, ...lines] = text.trim().split("\n");
	const heading = /^#{1,6}\s+(.{1,160})$/.exec(first);
	if (heading) return { title: unmarked(heading[1]), body: lines.join("\n") };
	const sentence = /^(?![-*+>|`~]|\d+[.)]\s)(.{8,160}?)[.!]?(?:(?<=[.!?])\s+(?=[\p{Lu}\p{N}*_"“(])|$)/u.exec(first);
	if (!sentence) return { title: "", body: text };
	return { title: unmarked(sentence[1]), body: [first.slice(sentence[0].length), ...lines].join("\n") };
}

// The words without the marks that set them.
export const unmarked = (text) => text.replace(/\*\*|__|`|^#{1,6} /gm, "");
