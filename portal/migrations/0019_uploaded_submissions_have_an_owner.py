from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("portal", "0018_mail_preferences")]

    operations = [
        migrations.RemoveConstraint("submission", "what_was_handed_in_has_an_owner"),
        migrations.AddConstraint(
            "submission",
            models.CheckConstraint(
                name="uploaded_submissions_have_an_owner",
                condition=models.Q(owner__isnull=False) | ~models.Q(origin="uploaded"),
            ),
        ),
    ]
