"""What the three formats of seed 000 share: standard, custom and classic.

A format says who speaks in which order (`order`); who may take part (`roster`), what each is told
(`prompting`), how the moderator closes (`closing`) and the rows that lead there (`tables`) are the
same for all of them.
"""
