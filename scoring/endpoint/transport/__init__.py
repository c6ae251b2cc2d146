"""Requests over HTTP to endpoints: where they may go, how they look, when they are sent again."""
