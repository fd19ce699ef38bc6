"""What the terminal shows of a debate. Nothing here decides anything about the debate itself.

Everything that models, files and providers say is untrusted: it is cleaned by `words.clean`, and
only ever becomes plain text, never markup.

    words, flow           cleaning, and wrapping text that arrives in pieces
    people                names in their colours
    paper                 how a turn, a score, a note looks
    header, verdict, totals   the beginning and the end
    order                 which turn may be shown when
    live, status_line     the terminal of somebody who watches
    json_lines            the same for programs
"""
