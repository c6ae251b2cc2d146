"""Signing up and in, the profile, and the preferences of a visitor."""
