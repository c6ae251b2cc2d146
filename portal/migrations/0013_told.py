import django.db.models.deletion
from django.apps.registry import Apps
from django.conf import settings
from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.models.functions import Round

COVERAGE = 90  # as in portal.guarded


def tell_what_was_told(apps: Apps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    """Scores of hidden releases were told to a tenth until now."""
    scores = apps.get_model("portal", "TaskScore").objects
    hidden = scores.filter(evaluation__submission__release__hidden=True)
    answered = hidden.filter(answered__gte=models.F("size") * COVERAGE / 100.0)
    answered.update(told=Round(models.F("mean")))


class Migration(migrations.Migration):
    dependencies = [
        ("portal", "0012_words"),
    ]

    operations = [
        migrations.AddField(
            model_name="taskscore",
            name="told",
            field=models.FloatField(null=True),
        ),
        migrations.AddField(
            model_name="taskscore",
            name="told_again",
            field=models.BooleanField(default=False),
        ),
        migrations.CreateModel(
            name="ToldScore",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("labels_hash", models.CharField(max_length=64)),
                (
                    "task",
                    models.CharField(
                        choices=[
                            ("passkey", "Retrieve.PassKey"),
                            ("number_string", "Retrieve.Number"),
                            ("kv_retrieval", "Retrieve.KV"),
                            ("longbook_sum_eng", "En.Sum"),
                            ("longbook_qa_eng", "En.QA"),
                            ("longbook_choice_eng", "En.MC"),
                            ("longbook_qa_chn", "Zh.QA"),
                            ("longdialogue_qa_eng", "En.Dia"),
                            ("code_debug", "Code.Debug"),
                            ("code_run", "Code.Run"),
                            ("math_calc", "Math.Calc"),
                            ("math_find", "Math.Find"),
                        ],
                        max_length=40,
                    ),
                ),
                ("metric_set", models.CharField(max_length=40)),
                ("percent", models.FloatField(default=0)),
                ("scores", models.JSONField(default=list)),
                (
                    "owner",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="told_scores",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "ordering": ["owner", "labels_hash", "task", "metric_set"],
                "constraints": [
                    models.UniqueConstraint(
                        fields=["owner", "labels_hash", "task", "metric_set"],
                        name="one_best_for_an_owner_task_and_set",
                    )
                ],
            },
        ),
        migrations.RunPython(tell_what_was_told, migrations.RunPython.noop),
    ]
