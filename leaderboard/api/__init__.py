"""The public numbers as JSON, for scripts: read-only."""
