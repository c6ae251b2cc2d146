"""What workers do for a run: they claim a slice of it, ask its questions, and keep the book."""
