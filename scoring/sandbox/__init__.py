"""Scoring untrusted files in a box."""
