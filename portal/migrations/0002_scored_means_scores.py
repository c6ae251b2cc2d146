"""The database itself sees to it that nothing is called scored without its scores.

Checked at the end of the transaction, because state and scores are written in one.
"""

from typing import ClassVar

from django.db import migrations
from django.db.migrations.operations.base import Operation

FUNCTION = """
CREATE FUNCTION portal_scored_means_scores() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    subject bigint;
    examples bigint;
    results bigint;
BEGIN
    IF TG_TABLE_NAME = 'portal_evaluation' THEN
        subject := NEW.id;
    ELSE
        subject := OLD.evaluation_id;
    END IF;
    IF NOT EXISTS (SELECT FROM portal_evaluation WHERE id = subject AND state = 'scored') THEN
        RETURN NULL;
    END IF;
    SELECT sum(size) INTO examples FROM (
        SELECT DISTINCT task, size FROM portal_taskscore WHERE evaluation_id = subject
    ) AS tasks;
    SELECT count(*) INTO results FROM portal_exampleresult WHERE evaluation_id = subject;
    IF examples IS DISTINCT FROM results THEN
        RAISE EXCEPTION 'evaluation % is scored, but has % of % results', subject, results,
            coalesce(examples, 0) USING ERRCODE = 'check_violation';
    END IF;
    RETURN NULL;
END $$;

CREATE CONSTRAINT TRIGGER scored_means_scores AFTER INSERT OR UPDATE OF state
    ON portal_evaluation DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW WHEN (NEW.state = 'scored') EXECUTE FUNCTION portal_scored_means_scores();

CREATE CONSTRAINT TRIGGER scores_stay AFTER DELETE OR UPDATE
    ON portal_taskscore DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW EXECUTE FUNCTION portal_scored_means_scores();
"""
BACK = """
DROP TRIGGER scores_stay ON portal_taskscore;
DROP TRIGGER scored_means_scores ON portal_evaluation;
DROP FUNCTION portal_scored_means_scores();
"""


class Migration(migrations.Migration):
    dependencies: ClassVar = [("portal", "0001_initial")]
    operations: ClassVar[list[Operation]] = [migrations.RunSQL(FUNCTION, BACK)]
