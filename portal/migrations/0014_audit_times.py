"""The database dates audit entries too: in the order in which they come in, whatever is given.

Until now it was the time at which a transaction began, so that of two at once the later entry could
have the earlier time.
"""

from django.db import migrations

LINK = """
CREATE OR REPLACE FUNCTION portal_audit_link() RETURNS trigger LANGUAGE plpgsql AS $$
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
"""
BEFORE = """
CREATE OR REPLACE FUNCTION portal_audit_link() RETURNS trigger LANGUAGE plpgsql AS $$
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
"""


class Migration(migrations.Migration):
    dependencies = [("portal", "0013_told")]

    operations = [migrations.RunSQL(LINK, BEFORE)]
