"""The novel tasks: a small world, what happens in it, and books that tell it."""
