"""The log of what was done, and its history on pages."""
