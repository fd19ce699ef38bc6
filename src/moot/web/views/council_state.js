// A council as its board shows it: what the server says of its rounds, with the turns themselves.
const OUT = "sat_out";

export const textOf = (turn) => turn.data?.proposal || turn.content || "";

// {members, judge, rounds: [{number, reasons, measures, cells: Map(id -> cell)}],
// clarifications, worth, cautions, satOut}
export function councilOf(live) {
	const { participants, notices, bySeq } = live.state;
	const seen = live.view.value?.council;
	const everybody = [...participants.values()];
	const members = everybody.filter((one) => one.role === "member");
	const turn = (seq) => bySeq.get(seq) ?? null;
	return {
		members,
		judge: everybody.find((one) => one.role === "judge"),
		rounds: (seen?.rounds ?? []).map((round) => ({
			number: round.round,
			reasons: round.reasons,
			measures: round,
			cells: new Map(members.map(({ id }) => [id, cellOf(round, id, members, turn)])),
		})),
		clarifications: (seen?.clarifications ?? []).filter((one) => one.answer !== null && !one.same_as),
		worth: seen?.worth ?? "",
		cautions: seen?.cautions ?? [],
		satOut: new Set([
			...notices.filter((one) => one.code === OUT).map((one) => one.participant),
			...(seen?.sat_out ?? []),
		]),
	};
}

// `key` of what is not there yet is that of the step which will say it.
const cellOf = (round, id, members, turn) => ({
	position: turn(round.proposals[id]),
	refinement: turn(round.refinements[id]),
	// Who passes the refinement keeps the proposal as it was.
	isKept: turn(round.refinements[id])?.flags?.includes("passed") ?? false,
	key: `refinement/${round.round}/${id}/refine`,
	critiques: members
		.filter((other) => other.id !== id)
		.map(({ id: by }) => {
			const found = round.critiques.find((one) => one.by === by && one.of === id);
			const key = `critique/${round.round}/${by}/critique/${id}`;
			return { by, key, label: found?.label, turn: turn(found?.turn_id) };
		}),
});
