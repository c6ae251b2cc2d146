from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("portal", "0017_former_models"),
    ]

    operations = [
        migrations.AddField(
            model_name="evaluation",
            name="stage",
            field=models.CharField(
                blank=True,
                choices=[
                    ("reading", "reading and checking the files"),
                    ("scoring", "scoring every answer"),
                    ("storing", "storing the scores"),
                ],
                db_default="",
                default="",
                editable=False,
                max_length=10,
            ),
        ),
    ]
