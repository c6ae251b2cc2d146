"""Questions whose labels may be wrong, and the questions that tell reviewers most."""
