"""A run: what it writes down before and after each request, and the window of requests."""
