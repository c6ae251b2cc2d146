"""What reviewers and admins do; disputes and notes."""
