"""The poll: members answer one question alone, and what they say is counted.

order      its settings; who takes part, how often each is asked, keys and places
answers    the typed short answer beside its reasons, how it is read, how answers are compared
counting   what was said as the log has it: answers, which of them are the same, ballots
steps      the prompts and steps of each stage, and what it emits
rules      the stages and transitions, what came of it, and the format
"""
