from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [
        ("portal", "0016_release_titles_zh"),
    ]

    operations = [
        migrations.RenameField(model_name="context", old_name="seen", new_name="last_used"),
        migrations.RenameField(model_name="releasefile", old_name="seen", new_name="last_used"),
    ]
