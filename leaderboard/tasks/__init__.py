"""What each task asks, how it is scored, and who does best at it."""
