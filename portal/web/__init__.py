"""What every page and answer shares."""
