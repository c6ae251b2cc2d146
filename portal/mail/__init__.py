"""Email: an outbox in the database, and what the messages say."""
