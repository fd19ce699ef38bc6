"""Moot as tools for coding assistants and other hosts of the Model Context Protocol.

The package `mcp` is an extra and takes a second to import. So it is imported nowhere else in Moot,
and these modules are imported only to serve MCP.

    arguments    what each tool takes, and what hosts are told of it
    port         what a door can do, wherever it does it, and what its calls return
    tools        does it here, with the process's own worker (`exclusion`: without some models)
    remote       has it done by a server
    elicitation  questions as forms that hosts show
    offers       debates as resources, and prompts that hosts offer by name
    server       the protocol, in both of its forms, by standard streams (`pipes`) or HTTP
"""
