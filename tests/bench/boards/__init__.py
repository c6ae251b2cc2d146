"""The board among many submissions, through the real tables and the real server."""
