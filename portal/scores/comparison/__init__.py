"""Comparing entries: differences, repeated runs, ranks, and which entries can be told apart."""
