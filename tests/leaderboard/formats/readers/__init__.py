"""What other projects' own packages make of our files: scripts for an environment with these
packages and nothing of ours, each of which prints a JSON document about the files in a folder. One
writes logs there, for our command."""
