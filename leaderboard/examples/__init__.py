"""Single examples: lists of them, each example with its context and answers, and searches."""
