"""What the people who run the site need: backups, upgrades, and seeing how it is doing."""
