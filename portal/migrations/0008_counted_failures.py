from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("portal", "0007_versions"),
    ]

    operations = [
        migrations.AddField(
            model_name="countedupload",
            name="failure",
            field=models.CharField(blank=True, max_length=40),
        ),
    ]
