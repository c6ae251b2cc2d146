"""What reviewers are told about a submission: facts, comparisons and warnings."""
