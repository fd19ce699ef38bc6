"""The three formats of seed 000 that a moderator leads: standard, custom and classic.

order       who may take part, who speaks when, and what a speech carries
rules       what all three have in common: stages, rows, how the moderator closes, and prompts
panel       standard and custom: everybody speaks once in every round
classic     two sides open, rebut, debate freely and sum up
"""
