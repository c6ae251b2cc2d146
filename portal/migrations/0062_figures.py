from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("portal", "0061_dials")]

    operations = [
        migrations.AddField(
            model,
            "figures_only",
            models.BooleanField(db_default=False, default=False, editable=False),
        )
        for model in ("evaluation", "taskdataset")
    ]
