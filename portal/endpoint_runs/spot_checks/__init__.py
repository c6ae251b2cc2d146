"""Spot checks of uploaded entries: some of their questions are asked at the author's endpoint."""
