"""Uploaded files: how they arrive, are stored, shared and downloaded."""
