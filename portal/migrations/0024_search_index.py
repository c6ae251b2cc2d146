"""Find words in answers, and missing and empty answers, without reading the others.

While they are built the site can be read, but nothing is scored. A function is in the index, so that a query that calls
it is planned with the statistics of the words.
"""

from django.db import migrations, models

# The task is a word too, one that no text has: few words are rare in all tasks, but many in one.
_FUNCTION = """
CREATE FUNCTION portal_search_words(task text, prediction text) RETURNS tsvector
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN array_to_tsvector(ARRAY['@' || task])
    || to_tsvector('pg_catalog.simple'::regconfig, portal_search_text(prediction))
"""
_INDEX = """
CREATE INDEX example_results_words ON portal_exampleresult
USING gin (portal_search_words(task, prediction))
"""


class Migration(migrations.Migration):
    dependencies = [
        ("portal", "0023_search_text"),
    ]

    operations = [
        migrations.RunSQL(_FUNCTION, "DROP FUNCTION portal_search_words(text, text)"),
        migrations.RunSQL(_INDEX, "DROP INDEX example_results_words"),
        migrations.AddIndex(
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
