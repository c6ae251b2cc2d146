"""Endpoint runs: an author names an endpoint, and the site asks it the questions of a release."""
