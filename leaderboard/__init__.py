"""What the public reads: boards, entries, models, tasks, releases. It writes nothing."""
