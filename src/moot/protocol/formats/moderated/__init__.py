"""The three formats of seed 000 that a moderator leads: standard, custom and classic.

order       who speaks when, and what a speech carries
roster      who may take part
prompts     what each participant is told
rules       what all three have in common: stages, rows, and how the moderator closes
panel       standard and custom: everybody speaks once in every round
classic     two sides open, rebut, debate freely and sum up
"""
