"""Where an entry fails in a task: by length, depth, hops and kind of question."""
