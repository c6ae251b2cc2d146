"""The whole public site as files that stand without it."""
