"""Pages of entries, models, tasks and releases."""
