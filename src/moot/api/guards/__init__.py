"""Everything that is decided about a request before it reaches a route.

    Host        which names we answer to: DNS rebinding          sites
    origin      no other site can act for a user                 sites
    proxies     which are believed, and for whom they speak      sites
    token       who may come in, and who needs one to be safe    tokens
    body        size, time and depth, while it is being read     stack
    headers     on every response, also those of the above       stack
    rate        how often a client may spend money, or watch     rates
    accidents   no traceback reaches a client                    stack
    dialect     problems in the shape that clients of /v1 read   dialects

Decisions use `scope["path"]`: the URL that frameworks put together contains the Host header.
"""
