"""Entries that were not submitted here: numbers from papers, released files."""
