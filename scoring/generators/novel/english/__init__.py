"""Narrating in English."""
