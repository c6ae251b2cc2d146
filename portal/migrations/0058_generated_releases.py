from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("portal", "0057_answer_type")]

    operations = [
        migrations.AddField(
            "release",
            "generator",
            models.PositiveSmallIntegerField(editable=False, null=True),
        ),
        migrations.AddField("release", "floors", models.JSONField(editable=False, null=True)),
        migrations.AddField(
            "release",
            "text_licence",
            models.CharField(blank=True, db_default="", editable=False, max_length=500),
        ),
    ]
