"""The council of seed 004: deliberation as a state machine.

order       its settings; what is done in a round, by whom, about whom, how often
seats       who sits on it, who sat out, and the labels in place of their names
answers     typed answers as tables of fields, and those that the council asks for
positions   proposals, critiques, refinements, how far they moved, what a bench chooses from
questions   clarifications: told in advance, asked, answered, or not; which of them ask the same
ballots     votes, rankings, the answer before the debate, and whether debating was worth it
briefing    what models are sent, how turns reach them, and how steps are made
steps       which steps each stage has, and what it emits
closing     the last stage, why the council ended, what came of it, what is done without
documents   its report, and the record of its decision
view        what people are shown: round by round, what was asked, what came of it
rules       the stages and transitions, and the format
"""
