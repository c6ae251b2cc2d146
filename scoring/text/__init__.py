"""Tokens, windows of long texts, and prompts."""
