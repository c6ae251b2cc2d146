from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("portal", "0017_last_used")]

    operations = [
        migrations.RenameField("user", "told_of_decisions", "email_decisions"),
        migrations.RenameField("user", "told_of_reviews", "email_reviews"),
    ]
