import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("portal", "0058_generated_releases")]

    operations = [
        migrations.AddField("example", "facts", models.JSONField(editable=False, null=True)),
        migrations.CreateModel(
            name="FactScore",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("task", models.CharField(max_length=40)),
                ("recall", models.FloatField()),
                ("precision", models.FloatField()),
                ("mean", models.FloatField()),
                ("low", models.FloatField(null=True)),
                ("high", models.FloatField(null=True)),
                ("interval_method", models.CharField(blank=True, default="", max_length=30)),
                ("size", models.PositiveIntegerField()),
                ("asked", models.PositiveIntegerField(null=True)),
                ("examples", models.JSONField()),
                (
                    "evaluation",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="fact_scores",
                        to="portal.evaluation",
                    ),
                ),
            ],
            options={
                "ordering": ["evaluation", "task"],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("evaluation", "task"), name="one_score_by_facts_for_a_task"
                    )
                ],
            },
        ),
    ]
