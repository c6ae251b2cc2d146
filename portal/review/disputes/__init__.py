"""Disputes about labels: filed by readers, decided by reviewers, who see the consequences."""
