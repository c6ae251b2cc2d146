"""Language models: what is ranked."""
