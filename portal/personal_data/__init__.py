"""What the site holds about a person: to take along, and to delete."""
