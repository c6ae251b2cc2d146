from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("portal", "0050_sessions_end")]

    operations = [
        migrations.AddField("user", "deleted", models.DateTimeField(editable=False, null=True)),
    ]
