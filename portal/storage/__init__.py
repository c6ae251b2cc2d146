"""Where files lie: in a folder, or in a bucket."""
