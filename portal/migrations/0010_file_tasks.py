from django.db import migrations, models

import portal.models.original


class Migration(migrations.Migration):
    dependencies = [
        ("portal", "0009_review_requests"),
    ]

    operations = [
        migrations.AddField(
            model_name="submission",
            name="file_tasks",
            field=models.JSONField(
                blank=True,
                default=dict,
                editable=False,
                validators=[portal.models.original.validate_file_tasks],
            ),
        ),
    ]
