"""Notes of reviewers on examples and predictions: ``leaderboard.examples`` shows them."""
