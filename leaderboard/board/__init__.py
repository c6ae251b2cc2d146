"""The board: filters, ranking, cells, exports."""
