import uuid

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("portal", "0008_counted_failures"),
    ]

    operations = [
        migrations.AlterField(
            model_name="countedupload",
            name="submission",
            field=models.UUIDField(db_index=True, default=uuid.uuid4),
        ),
        migrations.AlterField(
            model_name="languagemodel",
            name="owner",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="language_models",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
    ]
