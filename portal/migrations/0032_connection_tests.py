from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("portal", "0031_idle_keys"),
    ]

    operations = [
        migrations.AddField(
            model_name="endpointrun",
            name="connection_until",
            field=models.DateTimeField(editable=False, null=True),
        ),
    ]
