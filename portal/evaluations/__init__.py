"""Scoring a submission: the task, its lease, its results."""
