"""Endpoint runs."""
