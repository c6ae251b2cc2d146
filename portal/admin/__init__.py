"""Django's admin. What services write, with rules of their own, is read-only here."""

from portal.admin import accounts, audit, language_models, releases, site, submissions

__all__ = ["accounts", "audit", "language_models", "releases", "site", "submissions"]
