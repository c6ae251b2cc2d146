"""What the site holds about a person: exporting it, and deleting it."""
