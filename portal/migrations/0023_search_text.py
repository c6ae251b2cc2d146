"""The text of an answer as it is searched: in lower case, with a space between words and around
each Chinese or Japanese character.

Its first 20,000 characters: a tsvector of more could be too large to be stored, and then the answer
could not be stored either.
"""

from django.db import migrations

_CREATE = r"""
CREATE FUNCTION portal_search_text(value text) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN ' ' || btrim(lower(
    regexp_replace(
        regexp_replace(
            left(value, 20000),
            '([\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff])',
            ' \1 ',
            'g'
        ),
        '[^[:alnum:]]+',
        ' ',
        'g'
    )
)) || ' '
"""


class Migration(migrations.Migration):
    dependencies = [
        ("portal", "0022_answer_tokens"),
    ]

    operations = [
        migrations.RunSQL(_CREATE, "DROP FUNCTION portal_search_text(text)"),
    ]
