"""Which entries can be told apart: differences, ranks and their uncertainty, with numpy."""
