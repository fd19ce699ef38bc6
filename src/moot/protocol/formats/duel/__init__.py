"""The judged duel of seed 001.

order      the statements, and what belongs to each: thought, evaluation, score
prompts    what models are sent: the seed's words
answers    scores and verdicts: their shapes, how they are read, what follows from them
steps      plans, thoughts, statements, what the judge makes of each, and the verdict
rules      the format: its stages and transitions
"""
