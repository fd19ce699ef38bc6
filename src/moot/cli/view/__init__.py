"""What the terminal shows of a debate. Nothing here decides anything about the debate itself.

Everything that models, files and providers say is untrusted: it is cleaned by `console.clean`, and
only ever becomes plain text, never markup.

    console      cleaning, wrapping text that arrives in pieces, columns
    header       who takes part, what stands above a debate and what it took
    transcript   how a turn, a score, a note looks
    outcome      the box at the end
    live         the terminal of somebody who watches
    json_lines   the same for programs
    views        which of them is used, and what becomes of it when nobody reads any more
    room         how a room looks
    debate       a debate printed whole, lists of debates, and what a search has found
"""
