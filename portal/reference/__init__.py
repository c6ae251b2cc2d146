"""The reference reader as a server that speaks OpenAI's protocol; nothing here needs Django."""
