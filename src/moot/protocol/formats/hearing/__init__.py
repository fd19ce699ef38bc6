"""The hearing: a bench is asked about a debate that is over, as a debate of its own.

order      its settings, who sits on the bench, and what is refused
rules      the one stage, and the format
"""
