"""The exam: one judge is asked about short debates in which the answer is known.

rules      its settings, its one stage, what came of it, and the format
"""
