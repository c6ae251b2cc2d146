"""Lists of a task's examples: found by a filter or by words, shown as rows and as pictures."""
