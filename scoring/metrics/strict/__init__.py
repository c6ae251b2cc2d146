"""The strict metric set: one documented guess for each example."""
