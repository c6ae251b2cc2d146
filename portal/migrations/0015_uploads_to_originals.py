"""Every submission so far has one original, which is all its own."""

from django.db import migrations, models

_MOVE = (
    """
    INSERT INTO portal_original (submission_id, file, name, size, hash, task, file_tasks)
    SELECT id, upload, upload_name, upload_size, upload_hash, task, file_tasks
    FROM portal_submission ORDER BY created, id
    """,
    """
    INSERT INTO portal_submissionfile (submission_id, original_id, position)
    SELECT submission_id, id, 0 FROM portal_original
    """,
    """
    UPDATE portal_evaluation SET contents = jsonb_build_array(
        (SELECT coalesce(jsonb_agg(task), '[]') FROM jsonb_object_keys(signature -> 'gold') task)
    )
    WHERE jsonb_typeof(signature -> 'gold') = 'object'
    """,
    "SET CONSTRAINTS ALL IMMEDIATE",
)
_MOVE_BACK = (  # of several files, only the newest can be named
    """
    UPDATE portal_submission
    SET upload = file, upload_name = name, upload_size = size, upload_hash = hash,
        task = newest.task, file_tasks = newest.file_tasks
    FROM (
        SELECT DISTINCT ON (used.submission_id) used.submission_id AS of, original.*
        FROM portal_submissionfile used JOIN portal_original original ON original.id = original_id
        ORDER BY used.submission_id, position DESC
    ) newest
    WHERE portal_submission.id = newest.of
    """,
    "SET CONSTRAINTS ALL IMMEDIATE",
)


class Migration(migrations.Migration):
    dependencies = [
        ("portal", "0014_originals"),
    ]

    operations = [
        migrations.RunSQL(_MOVE, _MOVE_BACK),
        # With defaults the columns can be added again.
        migrations.AlterField("submission", "upload", models.FileField(max_length=200, default="")),
        migrations.AlterField(
            "submission", "upload_name", models.CharField(max_length=255, default="")
        ),
        migrations.AlterField(
            "submission", "upload_size", models.PositiveBigIntegerField(default=0)
        ),
        migrations.AlterField(
            "submission", "upload_hash", models.CharField(max_length=64, default="")
        ),
        migrations.RemoveField("submission", "upload"),
        migrations.RemoveField("submission", "upload_name"),
        migrations.RemoveField("submission", "upload_size"),
        migrations.RemoveField("submission", "upload_hash"),
        migrations.RemoveField("submission", "task"),
        migrations.RemoveField("submission", "file_tasks"),
    ]
