"""Releases: what they consist of, how long their texts are, and their downloads."""
