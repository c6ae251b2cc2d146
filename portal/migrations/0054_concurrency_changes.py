from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("portal", "0053_scope_of_teams")]

    operations = [
        migrations.AddField(
            "endpointrun",
            "concurrency_changes",
            models.JSONField(editable=False, null=True),
        )
    ]
