"""The debate of seed 003, in rounds.

order      who speaks when, and where the judge comes in
answers    the judge's answer
rules      the format: prompts, steps, stages and transitions
"""
