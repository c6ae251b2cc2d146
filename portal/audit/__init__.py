"""The log of what was done, and the history that pages show of it."""
