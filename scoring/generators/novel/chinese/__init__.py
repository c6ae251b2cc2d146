"""Narrating in Chinese."""
