"""The connection test: what an endpoint does, before anything is asked of it in earnest."""
