"""Moot's speed and memory as ratios against peers, measured in one run. See README.md."""
