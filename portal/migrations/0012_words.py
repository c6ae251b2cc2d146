from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("portal", "0011_notices"),
    ]

    operations = [
        migrations.AlterField(
            model_name="languagemodel",
            name="weights",
            field=models.CharField(
                blank=True,
                choices=[
                    ("open", "open weights"),
                    ("closed", "closed weights"),
                    ("", "not stated"),
                ],
                default="",
                max_length=10,
                verbose_name="weights",
            ),
        ),
        migrations.AlterField(
            model_name="submission",
            name="state",
            field=models.CharField(
                choices=[
                    ("private", "private"),
                    ("in review", "in review"),
                    ("published", "published"),
                    ("hidden", "hidden"),
                    ("rejected", "rejected"),
                    ("withdrawn", "withdrawn"),
                ],
                default="private",
                editable=False,
                max_length=12,
            ),
        ),
    ]
