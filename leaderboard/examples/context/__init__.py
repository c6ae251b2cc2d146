"""The text of an example: a window of it, a picture of all of it, and searches."""
