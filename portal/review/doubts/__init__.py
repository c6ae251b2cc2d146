"""Questions whose labels may be wrong, and those from which a reviewer learns most."""
