from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("portal", "0053_scope_of_teams")]

    operations = [
        migrations.AddField(
            "example",
            "answer_type",
            models.CharField(blank=True, default="", max_length=10),
        )
    ]
