"""Disputes about labels: filed by reviewers, decided by others with their consequences in sight."""
