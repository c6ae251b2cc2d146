"""The text of an example: a window of it, a picture of the whole, and searches."""
