"""That an entry was sealed is a decision, too. What was sealed before is not in the ledger."""

from typing import ClassVar

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies: ClassVar = [("portal", "0046_affiliation_addresses")]

    operations: ClassVar = [
        migrations.AlterField(
            model_name="decision",
            name="kind",
            field=models.CharField(
                choices=[
                    ("sealed", "sealed"),
                    ("published", "published"),
                    ("undone", "publication undone"),
                    ("hidden", "hidden"),
                    ("restored", "restored"),
                    ("withdrawn", "withdrawn"),
                    ("removed", "removed"),
                    ("scored again", "scored again"),
                    ("relabelled", "label decided"),
                ],
                max_length=12,
            ),
        ),
    ]
