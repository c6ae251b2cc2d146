"""Releases: gold answers, facets, evidence, and checks."""
