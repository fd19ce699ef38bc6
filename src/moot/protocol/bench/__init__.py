"""How a bench is asked inside a debate: the case made of the debate, the ballots as steps, what
they say once they are in, and the certificate with all that a reader should know beside it.

What follows from ballots, whoever casts them and however, is in `hearing`, which knows nothing of
debates.
"""
