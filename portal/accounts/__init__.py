"""Signing up and in, the profile, and the choices of a visitor."""
