"""The poll: members answer one question alone, and what they say is counted.

order      its settings; who takes part, how often each is asked, keys and places
answers    the typed short answer beside its reasons, and how it is read
counting   which answers are the same, and which were given
reading    the answers as the log has them
voting     what can be voted for, and what the ballots came to
steps      the prompts and steps of each stage, and what it emits
outcome    what came of it
rules      the stages and transitions, and the format
"""
