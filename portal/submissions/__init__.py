"""Submitting predictions, and the pages of a submission."""
