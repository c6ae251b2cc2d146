"""What people type in, and what is said when it is wrong."""
