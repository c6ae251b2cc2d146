"""How long the right answers of a data set are; counted by the next import of its release."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("portal", "0021_score_intervals")]

    operations = [
        migrations.AddField(
            model_name="taskdataset",
            name="answer_tokens",
            field=models.PositiveBigIntegerField(editable=False, null=True),
        ),
        migrations.AddField(
            model_name="taskdataset",
            name="answer_tokens_estimated",
            field=models.BooleanField(default=False, editable=False),
        ),
    ]
