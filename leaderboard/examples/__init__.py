"""Single examples: lists of them, each with its context and its answers, and what is searched."""
