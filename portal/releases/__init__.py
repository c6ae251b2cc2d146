"""Importing releases, storing their texts, and serving their files."""
