"""What was published about ∞Bench beside what its released files give here."""
