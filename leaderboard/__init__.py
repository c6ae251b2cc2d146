"""The public pages: boards, entries, models, tasks, releases. It writes nothing."""
