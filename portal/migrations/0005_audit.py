"""The audit log becomes a chain that the database itself links: no code can leave that out.

The hash is of the fields below, each with its length before it, so that no two entries read alike.
"""

import django.db.models.deletion
from django.db import migrations, models

LINK = """
CREATE FUNCTION portal_audit_hash(previous text, entry portal_auditentry) RETURNS text
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
    ]) WITH ORDINALITY AS fields (field, place)
$$;

-- The lock of the one row of portal_audithead is held to the end of the transaction.
CREATE FUNCTION portal_audit_link() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    head portal_audithead;
BEGIN
    INSERT INTO portal_audithead (id, entries, hash) VALUES (1, 1, '')
        ON CONFLICT (id) DO UPDATE SET entries = portal_audithead.entries + 1
        RETURNING * INTO head;
    NEW.number := head.entries;
    NEW.hash := portal_audit_hash(head.hash, NEW);
    UPDATE portal_audithead SET hash = NEW.hash;
    RETURN NEW;
END $$;

CREATE FUNCTION portal_audit_stays() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'audit entries are written once, never changed'
        USING ERRCODE = 'restrict_violation';
END $$;
"""
LINK_THOSE_THAT_ARE_THERE = """
DO $$
DECLARE
    entry portal_auditentry;
    previous text := '';
    count bigint := 0;
BEGIN
    FOR entry IN SELECT * FROM portal_auditentry ORDER BY id LOOP
        count := count + 1;
        entry.number := count;
        previous := portal_audit_hash(previous, entry);
        UPDATE portal_auditentry SET number = count, hash = previous WHERE id = entry.id;
    END LOOP;
    IF count > 0 THEN
        INSERT INTO portal_audithead (id, entries, hash) VALUES (1, count, previous);
    END IF;
END $$;
"""
GUARD = """
CREATE TRIGGER audit_entries_are_linked BEFORE INSERT ON portal_auditentry
    FOR EACH ROW EXECUTE FUNCTION portal_audit_link();
CREATE TRIGGER audit_entries_stay BEFORE UPDATE OR DELETE ON portal_auditentry
    FOR EACH ROW EXECUTE FUNCTION portal_audit_stays();
"""
NO_GUARD = """
DROP TRIGGER audit_entries_stay ON portal_auditentry;
DROP TRIGGER audit_entries_are_linked ON portal_auditentry;
"""
NO_LINK = """
DROP FUNCTION portal_audit_stays();
DROP FUNCTION portal_audit_link();
DROP FUNCTION portal_audit_hash(text, portal_auditentry);
"""


class Migration(migrations.Migration):
    dependencies = [("portal", "0004_cache_table")]

    operations = [
        migrations.AlterField(
            model_name="submission",
            name="state",
            field=models.CharField(
                choices=[
                    ("private", "private"),
                    ("in review", "in review"),
                    ("published", "published"),
                    ("hidden", "hidden"),
                    ("rejected", "rejected"),
                    ("withdrawn", "withdrawn"),
                ],
                default="private",
                editable=False,
                max_length=12,
            ),
        ),
        migrations.CreateModel(
            name="AuditHead",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("entries", models.BigIntegerField()),
                ("hash", models.CharField(max_length=64)),
            ],
            options={
                "constraints": [
                    models.CheckConstraint(condition=models.Q(("pk", 1)), name="one_audit_head")
                ],
            },
        ),
        migrations.AlterModelOptions(
            name="auditentry",
            options={"ordering": ["number"], "verbose_name_plural": "audit entries"},
        ),
        migrations.AlterField(
            model_name="auditentry",
            name="submission",
            field=models.ForeignKey(
                db_constraint=False,
                null=True,
                on_delete=django.db.models.deletion.DO_NOTHING,
                related_name="audit_entries",
                to="portal.submission",
            ),
        ),
        migrations.AddField(
            model_name="auditentry",
            name="number",
            field=models.BigIntegerField(db_default=0, editable=False),
        ),
        migrations.AddField(
            model_name="auditentry",
            name="hash",
            field=models.CharField(db_default="", editable=False, max_length=64),
        ),
        migrations.RunSQL(LINK, NO_LINK),
        migrations.RunSQL(LINK_THOSE_THAT_ARE_THERE, migrations.RunSQL.noop),
        migrations.AlterField(
            model_name="auditentry",
            name="number",
            field=models.BigIntegerField(db_default=0, editable=False, unique=True),
        ),
        migrations.RunSQL(GUARD, NO_GUARD),
    ]
