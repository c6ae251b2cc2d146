"""Runs that ask the same questions as an earlier one."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("portal", "0051_deleted_accounts")]

    operations = [
        migrations.AddField(
            "endpointrun",
            "same_questions_as",
            models.ForeignKey(
                blank=True,
                editable=False,
                null=True,
                on_delete=django.db.models.deletion.SET_NULL,
                related_name="+",
                to="portal.endpointrun",
            ),
        )
    ]
