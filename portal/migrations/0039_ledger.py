"""The public ledger: its tables, and what the database itself ensures of them.

The hashes are made here, so that no code can write an entry without its commitment and its link; and
nothing that is written can be changed.
"""

import django.db.models.deletion
import django.db.models.functions.datetime
from django.db import migrations, models

CREATE_TRIGGERS = """
-- Each field has its length in front, so that no two entries give the same text.
CREATE FUNCTION portal_ledger_hash(VARIADIC fields text[]) RETURNS text
LANGUAGE sql STABLE AS $$
    SELECT encode(sha256(convert_to(
        string_agg(octet_length(field) || ':' || field, '' ORDER BY place), 'UTF8'
    )), 'hex')
    FROM unnest(fields) WITH ORDINALITY AS fields (field, place)
$$;

-- The upsert locks the single row of portal_ledgerhead until the transaction ends, so that numbers
-- have no gaps; the time is read under that lock.
CREATE FUNCTION portal_ledger_link() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    head portal_ledgerhead;
BEGIN
    INSERT INTO portal_ledgerhead (id, entries, hash) VALUES (1, 1, '')
        ON CONFLICT (id) DO UPDATE SET entries = portal_ledgerhead.entries + 1
        RETURNING * INTO head;
    NEW.number := head.entries;
    IF NOT NEW.reconstructed THEN
        NEW.at := greatest(
            clock_timestamp(), (SELECT at FROM portal_ledgerentry WHERE number = head.entries - 1)
        );
    END IF;
    NEW.commitment := portal_ledger_hash(NEW.key, NEW.content);
    NEW.hash := portal_ledger_hash(
        head.hash, NEW.number::text, to_char(NEW.at AT TIME ZONE 'UTC', 'YYYY-MM-DD'), NEW.kind,
        NEW.release, NEW.commitment, CASE WHEN NEW.reconstructed THEN 'reconstructed' ELSE '' END
    );
    UPDATE portal_ledgerhead SET hash = NEW.hash;
    RETURN NEW;
END $$;

CREATE FUNCTION portal_ledger_stays() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'the ledger is written once, never changed'
        USING ERRCODE = 'restrict_violation';
END $$;

CREATE TRIGGER ledger_entries_are_linked BEFORE INSERT ON portal_ledgerentry
    FOR EACH ROW EXECUTE FUNCTION portal_ledger_link();
CREATE TRIGGER ledger_entries_stay BEFORE UPDATE OR DELETE ON portal_ledgerentry
    FOR EACH ROW EXECUTE FUNCTION portal_ledger_stays();
CREATE TRIGGER attempts_stay BEFORE UPDATE OR DELETE ON portal_attempt
    FOR EACH ROW EXECUTE FUNCTION portal_ledger_stays();
CREATE TRIGGER decisions_stay BEFORE UPDATE OR DELETE ON portal_decision
    FOR EACH ROW EXECUTE FUNCTION portal_ledger_stays();
CREATE TRIGGER openings_stay BEFORE UPDATE OR DELETE ON portal_opening
    FOR EACH ROW EXECUTE FUNCTION portal_ledger_stays();
"""
DROP_TRIGGERS = """
DROP TRIGGER openings_stay ON portal_opening;
DROP TRIGGER decisions_stay ON portal_decision;
DROP TRIGGER attempts_stay ON portal_attempt;
DROP TRIGGER ledger_entries_stay ON portal_ledgerentry;
DROP TRIGGER ledger_entries_are_linked ON portal_ledgerentry;
DROP FUNCTION portal_ledger_stays();
DROP FUNCTION portal_ledger_link();
DROP FUNCTION portal_ledger_hash(text[]);
"""


class Migration(migrations.Migration):
    dependencies = [
        ("portal", "0038_run_sizes"),
    ]

    operations = [
        migrations.CreateModel(
            name="LedgerEntry",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "kind",
                    models.CharField(
                        choices=[("attempt", "scored"), ("decision", "decision")], max_length=8
                    ),
                ),
                ("release", models.CharField(max_length=80)),
                ("key", models.CharField(max_length=64)),
                ("content", models.TextField()),
                ("at", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ("reconstructed", models.BooleanField(default=False)),
                ("number", models.BigIntegerField(db_default=0, editable=False, unique=True)),
                ("commitment", models.CharField(db_default="", editable=False, max_length=64)),
                ("hash", models.CharField(db_default="", editable=False, max_length=64)),
            ],
            options={
                "verbose_name_plural": "ledger entries",
                "ordering": ["number"],
            },
        ),
        migrations.CreateModel(
            name="LedgerHead",
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
                    models.CheckConstraint(condition=models.Q(("pk", 1)), name="one_ledger_head")
                ],
            },
        ),
        migrations.CreateModel(
            name="Attempt",
            fields=[
                (
                    "entry",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.PROTECT,
                        primary_key=True,
                        related_name="attempt",
                        serialize=False,
                        to="portal.ledgerentry",
                    ),
                ),
                ("group", models.CharField(max_length=40)),
                ("owner", models.BigIntegerField()),
                ("language_model", models.CharField(max_length=80)),
                ("release", models.CharField(max_length=80)),
                ("predictions", models.CharField(max_length=80)),
                ("in_part", models.BooleanField()),
                (
                    "submission",
                    models.ForeignKey(
                        db_constraint=False,
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        related_name="attempts",
                        to="portal.submission",
                    ),
                ),
            ],
            options={
                "ordering": ["entry"],
                "indexes": [models.Index(fields=["owner", "release"], name="attempts_of_owner")],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("release", "group", "language_model", "predictions"),
                        name="one_attempt_of_predictions",
                    ),
                    models.UniqueConstraint(
                        fields=("submission", "release"), name="one_attempt_of_a_submission"
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="Decision",
            fields=[
                (
                    "entry",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.PROTECT,
                        primary_key=True,
                        related_name="decision",
                        serialize=False,
                        to="portal.ledgerentry",
                    ),
                ),
                (
                    "kind",
                    models.CharField(
                        choices=[
                            ("published", "published"),
                            ("undone", "publication undone"),
                            ("hidden", "hidden"),
                            ("restored", "restored"),
                            ("withdrawn", "withdrawn"),
                            ("removed", "removed"),
                            ("scored again", "scored again"),
                            ("relabelled", "label decided"),
                        ],
                        max_length=12,
                    ),
                ),
                (
                    "role",
                    models.CharField(
                        choices=[
                            ("reviewer", "reviewer"),
                            ("admin", "admin"),
                            ("author", "author"),
                            ("site", "the site"),
                        ],
                        max_length=8,
                    ),
                ),
                (
                    "attempt",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="publications",
                        to="portal.attempt",
                    ),
                ),
                (
                    "dispute",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="ledger_decisions",
                        to="portal.labeldispute",
                    ),
                ),
                (
                    "submission",
                    models.ForeignKey(
                        db_constraint=False,
                        null=True,
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        related_name="decisions",
                        to="portal.submission",
                    ),
                ),
            ],
            options={
                "ordering": ["entry"],
            },
        ),
        migrations.CreateModel(
            name="Opening",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "attempt",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="openings",
                        to="portal.attempt",
                    ),
                ),
                (
                    "decision",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="openings",
                        to="portal.decision",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        fields=("attempt", "decision"), name="one_opening_by_a_publication"
                    )
                ],
            },
        ),
        migrations.RunSQL(CREATE_TRIGGERS, DROP_TRIGGERS),
    ]
