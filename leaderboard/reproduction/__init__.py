"""What was published about ∞Bench, beside the results of its released files here."""
