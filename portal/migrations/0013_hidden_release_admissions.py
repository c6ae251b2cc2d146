import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

# Before, every owner had a best score under each metric set, which only few files could beat.
ONLY_STRICT = "DELETE FROM portal_bestdisclosedscore WHERE metric_set <> 'strict'"
STEPS_SO_FAR = """
INSERT INTO portal_releaseladder (labels_hash, task, steps)
SELECT labels_hash, task, jsonb_agg(scores)
FROM portal_bestdisclosedscore
WHERE scores <> '[]'
GROUP BY labels_hash, task
"""


class Migration(migrations.Migration):
    dependencies = [
        ("portal", "0012_label_versions"),
    ]

    operations = [
        migrations.CreateModel(
            name="ReleaseAdmission",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("created", models.DateTimeField(auto_now_add=True)),
            ],
            options={
                "ordering": ["release", "account"],
            },
        ),
        migrations.CreateModel(
            name="ReleaseLadder",
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
                ("steps", models.JSONField(default=list)),
            ],
            options={
                "ordering": ["labels_hash", "task"],
            },
        ),
        migrations.RunSQL(ONLY_STRICT, migrations.RunSQL.noop),
        migrations.RunSQL(STEPS_SO_FAR, migrations.RunSQL.noop),
        migrations.AlterModelOptions(
            name="bestdisclosedscore",
            options={"ordering": ["owner", "labels_hash", "task"]},
        ),
        migrations.RemoveConstraint(
            model_name="bestdisclosedscore",
            name="one_best_for_an_owner_task_and_set",
        ),
        migrations.RemoveField(
            model_name="bestdisclosedscore",
            name="metric_set",
        ),
        migrations.AddField(
            model_name="bestdisclosedscore",
            name="width",
            field=models.PositiveSmallIntegerField(default=0),
        ),
        migrations.AddField(
            model_name="taskscore",
            name="public_width",
            field=models.PositiveSmallIntegerField(default=0),
        ),
        migrations.AddConstraint(
            model_name="bestdisclosedscore",
            constraint=models.UniqueConstraint(
                fields=("owner", "labels_hash", "task"), name="one_best_for_an_owner_and_task"
            ),
        ),
        migrations.AddField(
            model_name="releaseadmission",
            name="account",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE,
                related_name="release_admissions",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
        migrations.AddField(
            model_name="releaseadmission",
            name="release",
            field=models.ForeignKey(
                db_index=False,
                limit_choices_to={"hidden": True},
                on_delete=django.db.models.deletion.CASCADE,
                related_name="admissions",
                to="portal.release",
            ),
        ),
        migrations.AddConstraint(
            model_name="releaseladder",
            constraint=models.UniqueConstraint(
                fields=("labels_hash", "task"), name="one_ladder_for_a_task"
            ),
        ),
        migrations.AddConstraint(
            model_name="releaseadmission",
            constraint=models.UniqueConstraint(
                fields=("release", "account"), name="one_admission_of_an_account"
            ),
        ),
    ]
