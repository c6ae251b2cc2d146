"""What the questions of a release are worth to those who do not read the text."""
