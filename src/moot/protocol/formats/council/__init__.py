"""The council of seed 004: deliberation as a state machine.

order       what it can be told; what is done in a round, by whom, about whom, how often
answers     typed answers as tables of fields, and those that the council asks for
seats       who sits on it, and who sat out
positions   proposals, critiques, refinements, and how far positions moved
questions   clarifications: asked, answered, or not
briefing    what models are sent, and where their histories begin
ballots     votes, rankings, and the answer before the debate
steps       which steps each stage has, and what it emits
tables      the stages and transitions themselves
outcome     why it ended, what came of it, what is done without
documents   its report, and the record of its decision
rules       the format, and what a council has to show
"""
