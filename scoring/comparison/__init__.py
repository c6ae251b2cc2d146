"""Which entries are distinguishable: differences, ranks and their uncertainty, with numpy."""
