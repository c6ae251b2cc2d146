"""Pictures of the scores of an entry, drawn on the server."""
