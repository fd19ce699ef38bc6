"""The council of seed 004: deliberation as a state machine.

order       its settings; what is done in a round, by whom, about whom, how often
seats       who sits on it, and who sat out
labels      what members and judge know each other's work by, in place of names
records     typed answers as tables of fields
answers     the answers that the council asks for
positions   proposals, critiques, refinements, and how far positions moved
questions   clarifications: told in advance, asked, answered, or not; which of them ask the same
ballots     votes, rankings, and the answer before the debate
ratings     whether debating was worth it
hearing     how turns reach models
briefing    what models are sent, and where their histories begin
making      how steps are made
steps       which steps each stage has, and what it emits
remarks     all critiques of a person in one form
closing     the steps of the stage that brings a council to its end
tables      the stages and transitions themselves
outcome     why it ended, what came of it, what is done without
case        what a bench is asked to choose from
documents   its report, and the record of its decision
rules       the format, and what a council has to show
"""
