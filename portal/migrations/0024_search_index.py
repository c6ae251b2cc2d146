"""Find words in answers, and missing and empty answers, without reading the others.

Both indexes are built while the site is used. A function is in the index, so that a query that calls
it is planned with the statistics of the words.
"""

import django.contrib.postgres.operations
from django.db import migrations, models

# The task is a word too, one that no text has: few words are rare in all tasks, but many in one.
_FUNCTION = """
CREATE FUNCTION portal_search_words(task text, prediction text) RETURNS tsvector
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN array_to_tsvector(ARRAY['@' || task])
    || to_tsvector('pg_catalog.simple'::regconfig, portal_search_text(prediction))
"""
_INDEX = """
CREATE INDEX CONCURRENTLY example_results_words ON portal_exampleresult
USING gin (portal_search_words(task, prediction))
"""


class Migration(migrations.Migration):
    atomic = False

    dependencies = [
        ("portal", "0023_search_text"),
    ]

    operations = [
        migrations.RunSQL(_FUNCTION, "DROP FUNCTION portal_search_words(text, text)"),
        # A build that was interrupted leaves an index that is not valid.
        migrations.RunSQL(
            ["DROP INDEX CONCURRENTLY IF EXISTS example_results_words", _INDEX],
            "DROP INDEX CONCURRENTLY IF EXISTS example_results_words",
        ),
        django.contrib.postgres.operations.AddIndexConcurrently(
            model_name="exampleresult",
            index=models.Index(
                condition=models.Q(
                    ("prediction__isnull", True),
                    ("prediction__regex", "^\\s*$"),
                    _connector="OR",
                ),
                fields=["task", "evaluation", "index"],
                name="example_results_blank",
            ),
        ),
    ]
