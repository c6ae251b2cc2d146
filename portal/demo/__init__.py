"""``make demo``: the whole site on one machine, with its own database and data."""
