"""The migrations of the site and one more, as a newer version has: for ``MIGRATION_MODULES``."""

from portal import migrations

__path__ = [*migrations.__path__, *__path__]
