"""Scores as people may read them, and what is said about them."""
