"""Debates and personas written by people in YAML, the shipped ones among them.

What a file says is untrusted text: it is bounded and checked here, once, and every refusal
names the file, the line and the field. Nothing in a file can run code, read another file or
the environment.

    yaml_file, scalars      bytes to plain data with line numbers
    schema, explain         plain data to checked models, or errors a stranger understands
    personas, finding       the library, and whom a word means
    own_personas, places,   the part of it that is the user's, and how it is written
    keeping
    references              personas that a file only names
    crosschecks, define     what the keys of a debate file mean for one another
    debates, changes        `load`, and what is wanted otherwise this time
    teams, casting, seating who takes part, drawn by a seed
"""
