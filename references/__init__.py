"""Make the pages of `docs/reference` that say what the code says. No part of the package."""
