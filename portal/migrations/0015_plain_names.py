import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("portal", "0014_audit_times")]

    operations = [
        migrations.RenameField("taskscore", "told", "public_percent"),
        migrations.RenameField("taskscore", "told_again", "is_previous_best"),
        migrations.RenameModel("ToldScore", "BestDisclosedScore"),
        migrations.AlterField(
            model_name="bestdisclosedscore",
            name="owner",
            field=models.ForeignKey(
                db_index=False,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="best_disclosed_scores",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
        migrations.RenameField("evaluation", "woken", "enqueued_at"),
    ]
