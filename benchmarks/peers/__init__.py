"""The peers that are measured, each in its own process: `python -m benchmarks.peers.<name>`."""
