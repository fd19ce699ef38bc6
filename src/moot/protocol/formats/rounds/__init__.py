"""The debate of seed 003, in rounds.

order      who speaks when, where the judge comes in, and the judge's answer
rules      the format: prompts, steps, stages and transitions
"""
