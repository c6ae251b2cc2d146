"""The page of an entry, and its files."""
