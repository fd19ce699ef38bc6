"""Moot, LangGraph and DBOS making the same steps, each started as `python -m`."""
