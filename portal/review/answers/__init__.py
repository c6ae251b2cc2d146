"""What the answers of a submission show reviewers, alone and compared with those of others."""
