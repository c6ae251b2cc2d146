"""Teams: who is in them, and what belongs to them."""

import django.db.models.deletion
import django.db.models.functions.datetime
import django.db.models.functions.text
from django.conf import settings
from django.db import migrations, models

# At the end of a transaction, since one that hands a team over changes two rows. The row of the team
# is locked before it is looked: of two transactions that each leave the other one as the last owner
# the second finds none.
CREATE_OWNER_TRIGGER = """
CREATE FUNCTION portal_team_has_owner() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    subject bigint;
BEGIN
    IF TG_TABLE_NAME = 'portal_team' THEN
        subject := NEW.id;
    ELSIF TG_OP = 'DELETE' THEN
        subject := OLD.team_id;
    ELSE
        subject := NEW.team_id;
    END IF;
    PERFORM FROM portal_team WHERE id = subject FOR NO KEY UPDATE;
    IF FOUND AND NOT EXISTS (
        SELECT FROM portal_membership
        WHERE team_id = subject AND role = 'owner' AND "left" IS NULL
    ) THEN
        RAISE EXCEPTION 'team % has no owner', subject USING ERRCODE = 'check_violation';
    END IF;
    RETURN NULL;
END $$;

CREATE CONSTRAINT TRIGGER teams_have_an_owner AFTER INSERT
    ON portal_team DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW EXECUTE FUNCTION portal_team_has_owner();

CREATE CONSTRAINT TRIGGER owners_stay AFTER DELETE OR UPDATE
    ON portal_membership DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW EXECUTE FUNCTION portal_team_has_owner();
"""
DROP_OWNER_TRIGGER = """
DROP TRIGGER owners_stay ON portal_membership;
DROP TRIGGER teams_have_an_owner ON portal_team;
DROP FUNCTION portal_team_has_owner();
"""


class Migration(migrations.Migration):
    dependencies = [
        ("portal", "0042_sealed_and_anonymous"),
    ]

    operations = [
        migrations.CreateModel(
            name="Team",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("slug", models.SlugField(max_length=80, unique=True, verbose_name="address")),
                ("name", models.CharField(max_length=60, verbose_name="name")),
                ("skeleton", models.CharField(editable=False, max_length=400, unique=True)),
                ("link", models.URLField(blank=True, verbose_name="link")),
                (
                    "created",
                    models.DateTimeField(db_default=django.db.models.functions.datetime.Now()),
                ),
            ],
            options={
                "ordering": ["name", "slug"],
            },
        ),
        migrations.CreateModel(
            name="TeamInvitation",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("invited", models.CharField(max_length=254)),
                ("email", models.EmailField(blank=True, max_length=254)),
                (
                    "role",
                    models.CharField(
                        choices=[("owner", "owner"), ("member", "member")],
                        default="member",
                        max_length=10,
                    ),
                ),
                (
                    "created",
                    models.DateTimeField(db_default=django.db.models.functions.datetime.Now()),
                ),
                ("expires", models.DateTimeField()),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("open", "open"),
                            ("accepted", "accepted"),
                            ("declined", "declined"),
                            ("revoked", "revoked"),
                        ],
                        default="open",
                        editable=False,
                        max_length=10,
                    ),
                ),
            ],
            options={
                "ordering": ["-created", "-pk"],
            },
        ),
        migrations.CreateModel(
            name="Membership",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "role",
                    models.CharField(
                        choices=[("owner", "owner"), ("member", "member")],
                        db_default="member",
                        default="member",
                        max_length=10,
                        verbose_name="role",
                    ),
                ),
                (
                    "joined",
                    models.DateTimeField(db_default=django.db.models.functions.datetime.Now()),
                ),
                ("left", models.DateTimeField(blank=True, null=True)),
                ("shown", models.BooleanField(db_default=False, default=False)),
                (
                    "user",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="memberships",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "team",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="memberships",
                        to="portal.team",
                    ),
                ),
            ],
            options={
                "ordering": ["team", "joined", "pk"],
            },
        ),
        migrations.CreateModel(
            name="Affiliation",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "organisation",
                    models.CharField(
                        help_text="As its language models name it.",
                        max_length=120,
                        verbose_name="organisation",
                    ),
                ),
                (
                    "reason",
                    models.CharField(
                        help_text="How you know. Shown to reviewers and admins.",
                        max_length=300,
                        verbose_name="reason",
                    ),
                ),
                (
                    "confirmed",
                    models.DateTimeField(
                        db_default=django.db.models.functions.datetime.Now(), editable=False
                    ),
                ),
                ("revoked", models.DateTimeField(editable=False, null=True)),
                (
                    "confirmed_by",
                    models.ForeignKey(
                        editable=False,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="confirmed_affiliations",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "user",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="affiliations",
                        to=settings.AUTH_USER_MODEL,
                        verbose_name="account",
                    ),
                ),
                (
                    "team",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="affiliations",
                        to="portal.team",
                    ),
                ),
            ],
            options={
                "ordering": ["-confirmed", "-pk"],
            },
        ),
        migrations.AddField(
            model_name="countedupload",
            name="team",
            field=models.ForeignKey(
                null=True,
                on_delete=django.db.models.deletion.SET_NULL,
                related_name="counted_uploads",
                to="portal.team",
            ),
        ),
        migrations.AddField(
            model_name="endpointrun",
            name="team",
            field=models.ForeignKey(
                blank=True,
                editable=False,
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="endpoint_runs",
                to="portal.team",
            ),
        ),
        migrations.AddField(
            model_name="hubfetch",
            name="team",
            field=models.ForeignKey(
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="hub_fetches",
                to="portal.team",
            ),
        ),
        migrations.AddField(
            model_name="languagemodel",
            name="team",
            field=models.ForeignKey(
                blank=True,
                editable=False,
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="language_models",
                to="portal.team",
            ),
        ),
        migrations.AddField(
            model_name="submission",
            name="team",
            field=models.ForeignKey(
                blank=True,
                editable=False,
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="submissions",
                to="portal.team",
            ),
        ),
        migrations.AddConstraint(
            model_name="submission",
            constraint=models.CheckConstraint(
                condition=models.Q(("team", None), ("owner__isnull", False), _connector="OR"),
                name="submissions_of_a_team_have_an_owner",
            ),
        ),
        migrations.AddField(
            model_name="teaminvitation",
            name="account",
            field=models.ForeignKey(
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="team_invitations",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
        migrations.AddField(
            model_name="teaminvitation",
            name="invited_by",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT,
                related_name="sent_team_invitations",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
        migrations.AddField(
            model_name="teaminvitation",
            name="team",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE,
                related_name="invitations",
                to="portal.team",
            ),
        ),
        migrations.AddIndex(
            model_name="membership",
            index=models.Index(fields=["team", "user"], name="memberships_of_a_team"),
        ),
        migrations.AddConstraint(
            model_name="membership",
            constraint=models.UniqueConstraint(
                condition=models.Q(("left", None)),
                fields=("user", "team"),
                name="one_membership_in_a_team",
            ),
        ),
        migrations.AddConstraint(
            model_name="affiliation",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("team__isnull", False), ("user", None)),
                    models.Q(("team", None), ("user__isnull", False)),
                    _connector="OR",
                ),
                name="an_affiliation_is_of_an_account_or_a_team",
            ),
        ),
        migrations.AddConstraint(
            model_name="teaminvitation",
            constraint=models.UniqueConstraint(
                models.F("team"),
                django.db.models.functions.text.Lower("invited"),
                condition=models.Q(("state", "open")),
                name="one_open_invitation_of_a_person",
            ),
        ),
        migrations.RunSQL(CREATE_OWNER_TRIGGER, DROP_OWNER_TRIGGER),
    ]
