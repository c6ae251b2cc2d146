"""Email about accounts in the outbox: with its text, until it is sent."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("portal", "0005_evaluation_due"),
    ]

    operations = [
        migrations.AddField(
            model_name="notice",
            name="address",
            field=models.EmailField(blank=True, editable=False, max_length=254),
        ),
        migrations.AddField(
            model_name="notice",
            name="body",
            field=models.TextField(blank=True, editable=False),
        ),
        migrations.AddField(
            model_name="notice",
            name="expires",
            field=models.DateTimeField(editable=False, null=True),
        ),
        migrations.AddField(
            model_name="notice",
            name="subject",
            field=models.CharField(blank=True, editable=False, max_length=300),
        ),
        migrations.AlterField(
            model_name="notice",
            name="entry",
            field=models.ForeignKey(
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="notices",
                to="portal.auditentry",
            ),
        ),
        migrations.AlterField(
            model_name="notice",
            name="kind",
            field=models.CharField(
                choices=[
                    ("decision", "review decision"),
                    ("review", "waiting for review"),
                    ("account", "about an account"),
                ],
                editable=False,
                max_length=10,
            ),
        ),
        migrations.AlterField(
            model_name="notice",
            name="recipient",
            field=models.ForeignKey(
                null=True,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="notices",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
        migrations.AddConstraint(
            model_name="notice",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("entry", None), ("expires__isnull", False), ("kind", "account")),
                    models.Q(
                        models.Q(("kind", "account"), _negated=True),
                        ("address", ""),
                        ("body", ""),
                        ("entry__isnull", False),
                        ("recipient__isnull", False),
                    ),
                    _connector="OR",
                ),
                name="only_a_notice_about_an_account_has_no_event",
            ),
        ),
        migrations.AddConstraint(
            model_name="notice",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("state", "waiting"), models.Q(("address", ""), ("body", "")), _connector="OR"
                ),
                name="the_text_of_a_notice_is_gone_when_it_has_ended",
            ),
        ),
    ]
