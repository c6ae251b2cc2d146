"""The novel tasks: a small world, its events, and books that narrate them."""
