"""Lists of the examples of a task: found by a filter or by words, as rows and as pictures."""
