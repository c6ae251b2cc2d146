"""Move the results of examples into blocks, one evaluation after another.

Each is moved in a transaction of its own and seen all the time, by the version before too: see ``0054_result_blocks``.
If it is interrupted, run ``migrate`` again. It can be undone in the same way.
"""

from importlib import import_module

from django.db import migrations, transaction
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.state import StateApps

_views = import_module("portal.migrations.0054_result_blocks")

_SCORES = _views.SCORES
_TO_BLOCKS = f"""
WITH moved AS (DELETE FROM portal_examplerow WHERE evaluation_id = %s RETURNING *)
INSERT INTO portal_resultblock (evaluation_id, task, block, predictions, {", ".join(_SCORES)})
SELECT evaluation_id, task, index / 16, array_agg(prediction ORDER BY index),
    {", ".join(f"array_agg({name} ORDER BY index)" for name in _SCORES)}
FROM moved GROUP BY evaluation_id, task, index / 16
"""  # noqa: S608 - names of columns
_TO_ROWS = f"""
WITH moved AS (DELETE FROM portal_resultblock WHERE evaluation_id = %s RETURNING *)
{_views.TO_ROWS.format(source="moved")}
"""  # noqa: S608 - no value of anybody


def to_blocks(_apps: StateApps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    with schema_editor.connection.cursor() as cursor:
        cursor.execute(_views.MAKE_ROWS)  # where it was interrupted at the very end
    _move(schema_editor, "portal_examplerow", _TO_BLOCKS)
    with schema_editor.connection.cursor() as cursor, transaction.atomic():
        cursor.execute(_views.VIEW)
        cursor.execute(_views.DELETE)
        cursor.execute("DROP TABLE portal_examplerow")


def to_rows(_apps: StateApps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    with schema_editor.connection.cursor() as cursor, transaction.atomic():
        cursor.execute(_views.MAKE_ROWS)
        cursor.execute(_views.VIEW_OF_BOTH)
        cursor.execute(_views.DELETE_BOTH)
    _move(schema_editor, "portal_resultblock", _TO_ROWS)


def _move(schema_editor: BaseDatabaseSchemaEditor, source: str, statement: str) -> None:
    with schema_editor.connection.cursor() as cursor:
        evaluation = 0
        while True:
            cursor.execute(
                f"SELECT min(evaluation_id) FROM {source} WHERE evaluation_id > %s",  # noqa: S608
                [evaluation],
            )
            [evaluation] = cursor.fetchone()
            if evaluation is None:
                return
            with transaction.atomic():
                cursor.execute(statement, [evaluation])


class Migration(migrations.Migration):
    atomic = False
    dependencies = [("portal", "0054_result_blocks")]

    operations = [migrations.RunPython(to_blocks, to_rows)]
