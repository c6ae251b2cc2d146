import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("portal", "0059_facts_of_plots")]

    operations = [
        migrations.AddField(
            "release",
            "unanswerable_of",
            models.ForeignKey(
                editable=False,
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="unanswerable",
                to="portal.release",
            ),
        ),
    ]
