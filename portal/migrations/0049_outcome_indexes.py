"""Of two small tables: they are made in milliseconds."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("portal", "0048_heartbeats")]

    operations = [
        migrations.AddIndex(
            model_name="evaluation",
            index=models.Index(
                fields=["state", "finished", "failure"], name="evaluations_by_outcome"
            ),
        ),
        migrations.AddIndex(
            model_name="notice",
            index=models.Index(
                condition=models.Q(("state", "failed")), fields=["ended"], name="notices_failed"
            ),
        ),
    ]
