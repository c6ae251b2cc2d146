"""Entries beside each other: differences, repeated runs, ranks, which can be told apart."""
