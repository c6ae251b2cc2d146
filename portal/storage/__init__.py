"""Where files are stored: in a folder, or in a bucket."""
