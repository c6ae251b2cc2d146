"""Who may see what, and who may do what."""
