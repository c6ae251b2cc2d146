"""What reviewers and admins do; notes."""
