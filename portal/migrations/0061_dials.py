from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("portal", "0060_unanswerable_questions")]

    operations = [
        migrations.AddField("release", "dials", models.JSONField(editable=False, null=True)),
    ]
