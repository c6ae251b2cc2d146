"""What reviewers see and decide."""
