from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("portal", "0054_answer_type")]

    operations = [
        migrations.AddField(
            "release",
            "generator",
            models.PositiveSmallIntegerField(editable=False, null=True),
        ),
        migrations.AddField("release", "floors", models.JSONField(default=dict, editable=False)),
        migrations.AddField(
            "release",
            "text_licence",
            models.CharField(blank=True, editable=False, max_length=500),
        ),
    ]
