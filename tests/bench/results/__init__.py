"""What results of examples cost: bytes, and storing one submission more in a full table."""
