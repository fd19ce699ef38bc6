// A council's rounds, folded from its turns by their step keys. Pure.
const BEFORE = new Set(["initialization", "clarification", "clarification_input"]);
const SILENT = new Set(["passed", "skipped"]);

export const textOf = (turn) => turn.data?.proposal || turn.content || "";

const counts = (turn) => turn && turn.included !== false && !turn.flags.some((flag) => SILENT.has(flag)) ? turn : null;

// {members, judge, rounds: [{number, cells: Map(id -> cell), evaluation, measured}], clarifications, satOut}
export function councilOf(state, seen) {
  const by = new Map(state.turns.map((turn) => [turn.step_key, turn]));
  const everybody = [...state.participants.values()];
  const members = everybody.filter((one) => one.role === "member");
  const judge = everybody.find((one) => one.role === "judge");
  const begun = !state.stage || BEFORE.has(state.stage) ? 0 : state.round;
  const rounds = Array.from({ length: begun }, (_, n) => roundOf(by, members, judge, n + 1, seen?.rounds?.[n]));
  const satOut = new Set([...state.notices.filter((one) => one.code === "sat_out").map((one) => one.participant), ...(seen?.sat_out ?? [])]);
  return { members, judge, rounds, clarifications: clarificationsOf(by, members), satOut };
}

function roundOf(by, members, judge, number, measured) {
  const judged = by.get(`evaluation/${number}/${judge?.id}/evaluate`)?.data;
  return {
    number, reasons: judged?.reasons ?? "",
    measures: { confidence: judged?.confidence ?? null, quality: judged?.quality ?? null, stability: measured?.stability ?? null },
    cells: new Map(members.map((one) => [one.id, {
      keys: [number === 1 ? `proposal/1/${one.id}/propose` : "", `refinement/${number}/${one.id}/refine`],
      position: positionOf(by, one.id, number),
      refinement: counts(by.get(`refinement/${number}/${one.id}/refine`)),
      critiques: members.filter((other) => other !== one).map((other) => ({ by: other.id, key: `critique/${number}/${other.id}/critique/${one.id}` }))
        .map((row) => ({ ...row, turn: counts(by.get(row.key)) })),
    }])),
  };
}

function positionOf(by, id, round) {
  for (let earlier = round - 1; earlier > 0; earlier--) {
    const turn = counts(by.get(`refinement/${earlier}/${id}/refine`));
    if (turn) return turn;
  }
  return counts(by.get(`proposal/1/${id}/propose`));
}

function clarificationsOf(by, members) {
  const found = [];
  for (let iteration = 1; members.some((one) => by.has(`clarification/${iteration}/${one.id}/ask`)); iteration++)
    for (const one of members)
      (by.get(`clarification/${iteration}/${one.id}/ask`)?.data?.questions ?? []).forEach((question, n) => {
        const answer = by.get(`clarification_input/${iteration}/${one.id}/${n + 1}/answer`);
        found.push({ of: one.id, key: `${iteration}/${one.id}/${n + 1}`, question, answer: answer ? answer.content ?? "" : null });
      });
  return found;
}
