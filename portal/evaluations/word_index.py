"""The index of words in answers, to whose pending list new answers are added."""

from django.db import connection


def merge_words() -> int:
    """Merge the pending list into the index, since every search reads all of it. Returns pages."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT gin_clean_pending_list('result_blocks_words')")
        [pages] = cursor.fetchone() or [0]
        return int(pages)
