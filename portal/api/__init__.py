"""What clients do with a token: what its owner does on the pages, through the same services."""
