from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("portal", "0055_move_results")]

    operations = [
        migrations.AddField(
            "endpointrun",
            "concurrency_changes",
            models.JSONField(editable=False, null=True),
        )
    ]
