"""Scores as users may see them, and findings about them."""
