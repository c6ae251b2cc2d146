"""The documents of an evaluation: table, report, findings."""
