"""Two to four entries, task by task: pages with their differences, and claims that can be cited."""
