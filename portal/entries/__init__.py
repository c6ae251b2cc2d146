"""Entries that nobody submitted here: numbers from papers, released files."""
