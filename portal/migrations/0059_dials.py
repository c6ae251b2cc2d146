from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("portal", "0058_generated_releases")]

    operations = [
        migrations.AddField("release", "dials", models.JSONField(editable=False, null=True)),
    ]
