"""What runs the site on one machine: processes, their files, and the binaries of a database."""
