"""What the questions of an ended run say besides its scores."""
