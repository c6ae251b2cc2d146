"""The board: its filters, ranking, cells and exports."""
