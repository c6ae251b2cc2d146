"""What is ranked."""
