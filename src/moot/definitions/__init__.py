"""Debates and personas written by people in YAML, the shipped ones among them.

What a file says is untrusted text: it is bounded and checked here, once, and every refusal
names the file, the line and the field. Nothing in a file can run code, read another file or
the environment.

    yaml_file, scalars   bytes to plain data with line numbers
    schema, explain      plain data to checked models, or an error a stranger understands
    personas, debates    the library, and `load`
    define               what the keys of a debate file mean for one another
    casting              who takes part, drawn by a seed
"""
