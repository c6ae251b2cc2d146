"""How a run is getting on, for its author and for admins."""
