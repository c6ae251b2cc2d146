"""Logs as lines of JSON, the numbers of the requests they are about, and reports of errors."""
