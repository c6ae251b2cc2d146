from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("portal", "0056_concurrency_changes")]

    operations = [
        migrations.AddField(
            "example",
            "answer_type",
            models.CharField(blank=True, db_default="", default="", max_length=10),
        )
    ]
