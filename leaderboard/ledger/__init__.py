"""The public ledger as a page, a feed and files."""
