"""Pages of entries and models, and those about the site."""
