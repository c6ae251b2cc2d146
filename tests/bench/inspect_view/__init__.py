"""A context of two million tokens here and in Inspect View, in the same browser."""
