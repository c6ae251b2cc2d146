"""What the answers of a submission show reviewers, whoever else gave them."""
