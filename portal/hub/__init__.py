"""What authors have us ask the Hub for: files to submit, and pull requests with their results."""
