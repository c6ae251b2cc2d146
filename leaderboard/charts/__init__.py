"""Charts of scores, drawn on the server."""
