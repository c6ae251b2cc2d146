import django.db.models.deletion
import django.db.models.functions.datetime
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("portal", "0010_contexts"),
    ]

    operations = [
        migrations.AddField(
            model_name="user",
            name="told_of_decisions",
            field=models.BooleanField(db_default=True, default=True),
        ),
        migrations.AddField(
            model_name="user",
            name="told_of_reviews",
            field=models.BooleanField(db_default=True, default=True),
        ),
        migrations.CreateModel(
            name="Notice",
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
                        choices=[
                            ("decision", "review decision"),
                            ("review", "waiting for review"),
                        ],
                        editable=False,
                        max_length=10,
                    ),
                ),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("waiting", "queued"),
                            ("sent", "sent"),
                            ("failed", "failed"),
                            ("dropped", "no longer needed"),
                        ],
                        default="waiting",
                        editable=False,
                        max_length=10,
                    ),
                ),
                (
                    "created",
                    models.DateTimeField(db_default=django.db.models.functions.datetime.Now()),
                ),
                (
                    "due",
                    models.DateTimeField(db_default=django.db.models.functions.datetime.Now()),
                ),
                ("attempts", models.PositiveSmallIntegerField(default=0)),
                ("begun", models.DateTimeField(blank=True, null=True)),
                ("ended", models.DateTimeField(blank=True, null=True)),
                ("failure", models.TextField(blank=True)),
                (
                    "entry",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="notices",
                        to="portal.auditentry",
                    ),
                ),
                (
                    "recipient",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="notices",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "ordering": ["-created", "-pk"],
                "indexes": [
                    models.Index(
                        condition=models.Q(("state", "waiting")),
                        fields=["due"],
                        name="notices_waiting",
                    )
                ],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("state", "failed"), _negated=True),
                            models.Q(("failure", ""), _negated=True),
                            _connector="OR",
                        ),
                        name="a_notice_that_failed_says_why",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("ended", None), ("state", "waiting")),
                            models.Q(
                                models.Q(("state", "waiting"), _negated=True),
                                ("ended__isnull", False),
                            ),
                            _connector="OR",
                        ),
                        name="a_notice_waits_until_it_has_ended",
                    ),
                ],
            },
        ),
    ]
