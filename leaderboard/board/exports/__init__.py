"""Boards as files."""
