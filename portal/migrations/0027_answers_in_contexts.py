"""Whether the gold answers of extractive tasks are in their contexts; found out by the next import of
a release."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("portal", "0026_label_disputes")]

    operations = [
        migrations.AddField(
            model_name="example",
            name="answer_in_context",
            field=models.BooleanField(editable=False, null=True),
        ),
    ]
