"""Debates and personas written by people in YAML, the shipped ones among them.

What a file says is untrusted text: it is bounded and checked here, once, and every refusal
names the file, the line and the field. Nothing in a file can run code, read another file or
the environment.

    documents      bytes to plain data with line numbers
    schema         plain data to checked models, or errors a stranger understands
    personas       the library, and which persona a word means
    own_personas   the part of the library that is the user's; `keeping` writes its files
    debate_file    a debate file made a definition, or every mistake in it
    debates        `load`, and a definition changed for one debate
    casting, teams who takes part, drawn by a seed or sent as a team
    shipped        the files that come with Moot
    values         what all of this results in
"""
