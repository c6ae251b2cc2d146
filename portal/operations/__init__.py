"""What the people who run the site need: backups, and seeing how it is doing."""
