"""Audit entries about other things than submissions.

The subject is one more field of the hash, and only of entries that have one. So the entries written
before keep their hashes; and as each field has its length in front, no entry can be read both ways.
"""

from django.db import migrations, models

HASH = """
CREATE OR REPLACE FUNCTION portal_audit_hash(previous text, entry portal_auditentry) RETURNS text
LANGUAGE sql STABLE AS $$
    SELECT encode(sha256(convert_to(
        string_agg(octet_length(field) || ':' || field, '' ORDER BY place), 'UTF8'
    )), 'hex')
    FROM unnest(ARRAY[
        previous,
        entry.number::text,
        coalesce(entry.submission_id::text, ''),
        coalesce(entry.actor_id::text, ''),
        entry.action,
        entry.before,
        entry.after,
        entry.reason,
        to_char(entry.at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US')
    ]%s) WITH ORDINALITY AS fields (field, place)
$$;
"""
WITH_SUBJECT = HASH % " || array_remove(ARRAY[entry.subject::text], '')"
WITHOUT_SUBJECT = HASH % ""


class Migration(migrations.Migration):
    dependencies = [("portal", "0003_cache_table")]

    operations = [
        migrations.AddField(
            "auditentry",
            "subject",
            models.CharField(blank=True, db_default="", default="", max_length=300),
        ),
        migrations.AddConstraint(
            "auditentry",
            models.CheckConstraint(
                name="an_audit_entry_is_about_one_thing",
                condition=models.Q(subject="") | models.Q(submission=None),
            ),
        ),
        migrations.RunSQL(WITH_SUBJECT, WITHOUT_SUBJECT),
    ]
