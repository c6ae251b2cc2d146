from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("portal", "0032_connection_tests"),
    ]

    operations = [
        migrations.AddField(
            model_name="runslice",
            name="freed",
            field=models.DateTimeField(null=True),
        ),
    ]
