from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("portal", "0016_release_titles_zh")]

    operations = [
        migrations.RenameField("user", "told_of_decisions", "email_decisions"),
        migrations.RenameField("user", "told_of_reviews", "email_reviews"),
    ]
