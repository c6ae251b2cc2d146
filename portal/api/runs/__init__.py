"""Endpoint runs, and spot checks of entries."""
