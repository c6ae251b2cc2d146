"""Pages of entries and models, and pages about the site."""
