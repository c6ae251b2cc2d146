"""Teams: who is in them, who is invited, and what belongs to them."""
