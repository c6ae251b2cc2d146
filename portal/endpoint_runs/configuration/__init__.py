"""What an author decides before a run starts, and what helps to decide it."""
