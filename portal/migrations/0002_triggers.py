"""What the database itself ensures, because no constraint on a single row can say it.

A scored evaluation has its scores, and the audit log is a chain to which entries are only added.
"""

from django.core.management.base import CommandError
from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.recorder import MigrationRecorder
from django.db.migrations.state import StateApps

# The second migration of databases made before the first release. They have a 0001_initial too, so
# that Django would take ours for applied.
_BEFORE_FIRST_RELEASE = ("portal", "0002_scored_means_scores")

# Triggers run at the end of the transaction, because one transaction writes the state and the
# scores, in any order.
CREATE_SCORE_TRIGGERS = """
CREATE FUNCTION portal_scored_means_scores() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    subject bigint;
    examples bigint;
    results bigint;
BEGIN
    IF TG_TABLE_NAME = 'portal_evaluation' THEN
        subject := NEW.id;
    ELSE
        subject := OLD.evaluation_id;
    END IF;
    IF NOT EXISTS (SELECT FROM portal_evaluation WHERE id = subject AND state = 'scored') THEN
        RETURN NULL;
    END IF;
    SELECT sum(size) INTO examples FROM (
        SELECT DISTINCT task, size FROM portal_taskscore WHERE evaluation_id = subject
    ) AS tasks;
    SELECT count(*) INTO results FROM portal_exampleresult WHERE evaluation_id = subject;
    IF examples IS DISTINCT FROM results THEN
        RAISE EXCEPTION 'evaluation % is scored, but has % of % results', subject, results,
            coalesce(examples, 0) USING ERRCODE = 'check_violation';
    END IF;
    RETURN NULL;
END $$;

CREATE CONSTRAINT TRIGGER scored_means_scores AFTER INSERT OR UPDATE OF state
    ON portal_evaluation DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW WHEN (NEW.state = 'scored') EXECUTE FUNCTION portal_scored_means_scores();

CREATE CONSTRAINT TRIGGER scores_stay AFTER DELETE OR UPDATE
    ON portal_taskscore DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW EXECUTE FUNCTION portal_scored_means_scores();
"""
DROP_SCORE_TRIGGERS = """
DROP TRIGGER scores_stay ON portal_taskscore;
DROP TRIGGER scored_means_scores ON portal_evaluation;
DROP FUNCTION portal_scored_means_scores();
"""

# In the database, so that no code can insert an entry without its link.
CREATE_AUDIT_TRIGGERS = """
-- Each field has its length in front, so that no two entries give the same text.
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

-- The upsert locks the single row of portal_audithead until the transaction ends, so that numbers
-- have no gaps. The time is read under that lock: now(), the start of the transaction, could give
-- the later of two entries the earlier time.
CREATE FUNCTION portal_audit_link() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    head portal_audithead;
BEGIN
    INSERT INTO portal_audithead (id, entries, hash) VALUES (1, 1, '')
        ON CONFLICT (id) DO UPDATE SET entries = portal_audithead.entries + 1
        RETURNING * INTO head;
    NEW.number := head.entries;
    NEW.at := greatest(
        clock_timestamp(), (SELECT at FROM portal_auditentry WHERE number = head.entries - 1)
    );
    NEW.hash := portal_audit_hash(head.hash, NEW);
    UPDATE portal_audithead SET hash = NEW.hash;
    RETURN NEW;
END $$;

CREATE FUNCTION portal_audit_stays() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'audit entries are written once, never changed'
        USING ERRCODE = 'restrict_violation';
END $$;

CREATE TRIGGER audit_entries_are_linked BEFORE INSERT ON portal_auditentry
    FOR EACH ROW EXECUTE FUNCTION portal_audit_link();
CREATE TRIGGER audit_entries_stay BEFORE UPDATE OR DELETE ON portal_auditentry
    FOR EACH ROW EXECUTE FUNCTION portal_audit_stays();
"""
DROP_AUDIT_TRIGGERS = """
DROP TRIGGER audit_entries_stay ON portal_auditentry;
DROP TRIGGER audit_entries_are_linked ON portal_auditentry;
DROP FUNCTION portal_audit_stays();
DROP FUNCTION portal_audit_link();
DROP FUNCTION portal_audit_hash(text, portal_auditentry);
"""


def refuse_older_database(_apps: StateApps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    """Stop before anything changes in a database that the old migrations have made."""
    if _BEFORE_FIRST_RELEASE in MigrationRecorder(schema_editor.connection).applied_migrations():
        raise CommandError(
            "This database was made before the first release and cannot be updated. Name an empty "
            "database in DATABASE_URL, or keep this one with the version that made it."
        )


class Migration(migrations.Migration):
    dependencies = [("portal", "0001_initial")]

    operations = [
        migrations.RunPython(refuse_older_database, migrations.RunPython.noop),
        migrations.RunSQL(CREATE_SCORE_TRIGGERS, DROP_SCORE_TRIGGERS),
        migrations.RunSQL(CREATE_AUDIT_TRIGGERS, DROP_AUDIT_TRIGGERS),
    ]
