"""The index of words in answers, in which whoever stores answers only notes them."""

from django.db import connection


def merge_words() -> int:
    """Merge what was noted since the last time: a search reads all of it. Returns pages."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT gin_clean_pending_list('result_blocks_words')")
        [pages] = cursor.fetchone() or [0]
        return int(pages)
