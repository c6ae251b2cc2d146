"""What programs do with a token: what their owner does on the pages, by the same services."""
