"""Scoring a submission: the job, its lease, its results."""
