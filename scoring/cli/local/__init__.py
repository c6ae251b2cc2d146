"""Commands that need no site: files, releases and endpoints."""
