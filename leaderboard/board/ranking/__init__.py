"""Who stands where on a board, and on what."""
