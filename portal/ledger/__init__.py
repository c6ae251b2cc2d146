"""The public ledger: attempts at a release, and decisions about entries."""
