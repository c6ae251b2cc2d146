"""Releases: what they consist of, how long they are, and their downloads."""
