"""The order of a board's entries, and what it depends on."""
