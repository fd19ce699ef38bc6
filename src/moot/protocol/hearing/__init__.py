"""Hearings: a bench of judges is asked about one debate, under neutral names and in both orders.

Pure, like all of the protocol: `plan` says which ballots are cast, `certificate` what follows from
them. Nothing here knows how judges are asked.
"""
