"""Results of examples in blocks: see ``ResultBlock``. ``0055_move_results`` moves the rows there.

A view takes the name of the table of rows, in the same transaction, so that processes of the version before read and
write on. Their only write is to store the results of an evaluation and to delete them with it, for which the view has
triggers. Until they are restarted two of their pages are less than they were: a search for rare words reads all answers
of a task, and a reviewer's random answers are none, as results have no ``id`` any more.
"""

from typing import Any

import django.contrib.postgres.fields
import django.db.models.deletion
from django.db import migrations, models

TABLE, ROWS = "portal_exampleresult", "portal_examplerow"
SCORES = ("official_2024_06", "official_2024_09", "strict")

# Numbers in the place of words: those that are in one answer only take half of the bytes. Whoever searches looks at the
# texts anyway. The task is part of every word: few words are rare in all tasks, but many in one.
_FUNCTIONS = r"""
CREATE FUNCTION portal_result_words(task text, predictions text[]) RETURNS integer[]
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN ARRAY(
    SELECT DISTINCT hashtext(task || ' ' || word)
    FROM unnest(predictions) AS prediction
    CROSS JOIN LATERAL string_to_table(btrim(portal_search_text(prediction)), ' ') AS word
    WHERE word <> ''
);

CREATE FUNCTION portal_has_blank(predictions text[]) RETURNS boolean
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN EXISTS (
    SELECT FROM unnest(predictions) AS prediction WHERE prediction IS NULL OR prediction ~ '^\s*$'
);
"""
_DROP_FUNCTIONS = """
DROP FUNCTION portal_result_words(text, text[]);
DROP FUNCTION portal_has_blank(text[]);
"""

# Scores stay in the row, where right and wrong ones compress to almost nothing, and predictions leave it early, so that
# many rows share a page. What is pending of the words is merged by the sweeper, not by whoever stores a submission.
_STORAGE = """
ALTER TABLE portal_resultblock ALTER COLUMN official_2024_06 SET STORAGE MAIN;
ALTER TABLE portal_resultblock ALTER COLUMN official_2024_09 SET STORAGE MAIN;
ALTER TABLE portal_resultblock ALTER COLUMN strict SET STORAGE MAIN;
ALTER TABLE portal_resultblock SET (toast_tuple_target = 256);
CREATE INDEX result_blocks_words ON portal_resultblock
    USING gin (portal_result_words(task, predictions)) WITH (gin_pending_list_limit = 65536);
CREATE INDEX result_blocks_blank ON portal_resultblock (task, evaluation_id)
    WHERE portal_has_blank(predictions);
"""
_DROP_INDEXES = "DROP INDEX result_blocks_words; DROP INDEX result_blocks_blank"

VIEW = """
CREATE OR REPLACE VIEW portal_exampleresult AS
SELECT NULL::bigint AS id, evaluation_id, task, (16 * block + place - 1)::integer AS index,
    result.prediction, result.official_2024_06, result.official_2024_09, result.strict,
    block, portal_has_blank(predictions) AS has_blank,
    portal_result_words(task, predictions) AS words
FROM portal_resultblock AS blocks
CROSS JOIN LATERAL unnest(
    blocks.predictions, blocks.official_2024_06, blocks.official_2024_09, blocks.strict
) WITH ORDINALITY AS result(prediction, official_2024_06, official_2024_09, strict, place)
"""
VIEW_OF_BOTH = f"""{VIEW}
UNION ALL
SELECT id, evaluation_id, task, index, prediction, official_2024_06, official_2024_09, strict,
    (index / 16)::smallint, prediction IS NULL OR prediction ~ '^\\s*$', ARRAY[]::integer[]
FROM portal_examplerow
"""  # noqa: S608 - no value of anybody
DELETE = """
CREATE OR REPLACE FUNCTION portal_delete_result() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM portal_resultblock
        WHERE evaluation_id = OLD.evaluation_id AND task = OLD.task AND block = OLD.block;
    RETURN OLD;
END $$
"""
DELETE_BOTH = DELETE.replace(
    "    RETURN OLD", "    DELETE FROM portal_examplerow WHERE id = OLD.id;\n    RETURN OLD"
)
_TRIGGERS = f"""
-- Each result in its place of a block, which the first one makes.
CREATE FUNCTION portal_insert_result() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    place integer := mod(NEW.index, 16) + 1;
BEGIN
    INSERT INTO portal_resultblock
        (evaluation_id, task, block, predictions, official_2024_06, official_2024_09, strict)
    VALUES (NEW.evaluation_id, NEW.task, NEW.index / 16, '{{}}', '{{}}', '{{}}', '{{}}')
    ON CONFLICT DO NOTHING;
    UPDATE portal_resultblock SET
        predictions[place] = NEW.prediction,
        official_2024_06[place] = NEW.official_2024_06,
        official_2024_09[place] = NEW.official_2024_09,
        strict[place] = NEW."strict"
    WHERE evaluation_id = NEW.evaluation_id AND task = NEW.task AND block = NEW.index / 16;
    RETURN NEW;
END $$;
{DELETE_BOTH};
CREATE TRIGGER results_are_inserted INSTEAD OF INSERT ON portal_exampleresult
    FOR EACH ROW EXECUTE FUNCTION portal_insert_result();
CREATE TRIGGER results_are_deleted INSTEAD OF DELETE ON portal_exampleresult
    FOR EACH ROW EXECUTE FUNCTION portal_delete_result();
"""  # noqa: S608 - no value of anybody
# Rows of the blocks that ``source`` has.
TO_ROWS = f"""
INSERT INTO portal_examplerow (evaluation_id, task, index, prediction, {", ".join(SCORES)})
SELECT evaluation_id, task, 16 * block + place - 1, result.prediction,
    {", ".join(f"result.{name}" for name in SCORES)}
FROM {{source}} AS blocks CROSS JOIN LATERAL unnest(
    blocks.predictions, {", ".join(f"blocks.{name}" for name in SCORES)}
) WITH ORDINALITY AS result(prediction, {", ".join(SCORES)}, place)
"""  # noqa: S608 - names of columns
MAKE_ROWS = r"""
CREATE TABLE IF NOT EXISTS portal_examplerow (
    id bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
    evaluation_id bigint NOT NULL REFERENCES portal_evaluation DEFERRABLE INITIALLY DEFERRED,
    task varchar(40) NOT NULL,
    index integer NOT NULL CHECK (index >= 0),
    prediction text,
    official_2024_06 double precision,
    official_2024_09 double precision,
    strict double precision,
    CONSTRAINT one_result_for_an_example UNIQUE (evaluation_id, task, index)
);
CREATE INDEX IF NOT EXISTS example_results_words ON portal_examplerow
    USING gin (portal_search_words(task, prediction));
CREATE INDEX IF NOT EXISTS example_results_blank ON portal_examplerow (task, evaluation_id, index)
    WHERE prediction IS NULL OR prediction ~ '^\s*$';
"""
# Where the next migration was interrupted, or results were stored since it was undone, some are in blocks.
_BACK = f"""
{MAKE_ROWS}
LOCK TABLE portal_resultblock;
{TO_ROWS.format(source="portal_resultblock")};
DROP VIEW portal_exampleresult;
DROP FUNCTION portal_insert_result();
DROP FUNCTION portal_delete_result();
ALTER TABLE {ROWS} RENAME TO {TABLE};
"""


def _scores() -> "list[tuple[str, models.Field[Any, Any]]]":
    return [(name, models.FloatField(null=True)) for name in SCORES]


_BLOCKS = migrations.CreateModel(
    name="ResultBlock",
    fields=[
        (
            "pk",
            models.CompositePrimaryKey(
                "evaluation_id",
                "task",
                "block",
                blank=True,
                editable=False,
                primary_key=True,
                serialize=False,
            ),
        ),
        (
            "evaluation",
            models.ForeignKey(
                db_index=False,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="result_blocks",
                to="portal.evaluation",
            ),
        ),
        ("task", models.CharField(max_length=40)),
        ("block", models.PositiveSmallIntegerField()),
        (
            "predictions",
            django.contrib.postgres.fields.ArrayField(models.TextField(null=True)),
        ),
        *[(name, django.contrib.postgres.fields.ArrayField(column)) for name, column in _scores()],
    ],
)
_RESULTS = migrations.CreateModel(
    name="ExampleResult",
    fields=[
        (
            "pk",
            models.CompositePrimaryKey(
                "evaluation_id",
                "task",
                "index",
                blank=True,
                editable=False,
                primary_key=True,
                serialize=False,
            ),
        ),
        (
            "evaluation",
            models.ForeignKey(
                on_delete=django.db.models.deletion.DO_NOTHING,
                related_name="example_results",
                to="portal.evaluation",
            ),
        ),
        ("task", models.CharField(max_length=40)),
        ("index", models.PositiveIntegerField()),
        ("block", models.PositiveSmallIntegerField()),
        ("has_blank", models.BooleanField()),
        ("prediction", models.TextField(null=True)),
        *_scores(),
    ],
    options={
        "managed": False,
        "db_table": TABLE,
        "ordering": ["evaluation", "task", "index"],
    },
)


class Migration(migrations.Migration):
    dependencies = [("portal", "0053_scope_of_teams")]

    operations = [
        _BLOCKS,
        migrations.RunSQL(_FUNCTIONS, _DROP_FUNCTIONS),
        migrations.RunSQL(_STORAGE, _DROP_INDEXES),
        migrations.RunSQL(
            f"ALTER TABLE {TABLE} RENAME TO {ROWS}; {VIEW_OF_BOTH}; {_TRIGGERS}",
            _BACK,
            state_operations=[migrations.DeleteModel("ExampleResult"), _RESULTS],
        ),
    ]
