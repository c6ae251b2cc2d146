"""What all pages and responses share."""
