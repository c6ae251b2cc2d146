"""What answers a request."""
