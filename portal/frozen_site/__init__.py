"""The whole public site as files that need no server."""
