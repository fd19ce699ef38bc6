"""Work shared by many machines: who is told that a debate has something to run."""
