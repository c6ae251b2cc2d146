"""What authors do with submissions."""
