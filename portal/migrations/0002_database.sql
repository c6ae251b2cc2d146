-- What Django's models cannot say: functions, triggers, views, expression indexes, storage.


-- The cache

-- The table of Django's database cache, as "createcachetable" makes it, so that "migrate" alone
-- makes a complete database. Its name stands in settings.CACHES too.
CREATE TABLE portal_cache (
    cache_key varchar(255) NOT NULL PRIMARY KEY,
    value text NOT NULL,
    expires timestamp with time zone NOT NULL
);
CREATE INDEX portal_cache_expires ON portal_cache (expires);


-- Searching answers

-- The text of an answer as it is searched: in lower case, with a space between words and around
-- each Chinese or Japanese character. Only its first 20,000 characters, which bounds the work for
-- an answer that never ends.
CREATE FUNCTION portal_search_text(value text) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN ' ' || btrim(lower(
    regexp_replace(
        regexp_replace(
            left(value, 20000),
            '([\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff])',
            ' \1 ',
            'g'
        ),
        '[^[:alnum:]]+',
        ' ',
        'g'
    )
)) || ' ';

-- Numbers in the place of words: a word of a single answer takes half of the bytes. Two
-- words may share a number, so a search looks at the texts as well. The task is part of every word:
-- few words are rare in all tasks, but many in one.
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


-- Results of examples: sixteen in a block (model ResultBlock), read one by one through a view
-- (model ExampleResult)

-- Scores stay in the row, where right and wrong ones compress to almost nothing; predictions leave
-- it early, so that many rows share a page.
ALTER TABLE portal_resultblock ALTER COLUMN official_2024_06 SET STORAGE MAIN;
ALTER TABLE portal_resultblock ALTER COLUMN official_2024_09 SET STORAGE MAIN;
ALTER TABLE portal_resultblock ALTER COLUMN strict SET STORAGE MAIN;
ALTER TABLE portal_resultblock SET (toast_tuple_target = 256);

-- The functions stand in the indexes, so that queries that call them are planned with the
-- statistics of their values. Pending words are merged by the sweeper, not by the transaction that
-- stores a submission.
CREATE INDEX result_blocks_words ON portal_resultblock
    USING gin (portal_result_words(task, predictions)) WITH (gin_pending_list_limit = 65536);
CREATE INDEX result_blocks_blank ON portal_resultblock (task, evaluation_id)
    WHERE portal_has_blank(predictions);

CREATE VIEW portal_exampleresult AS
SELECT evaluation_id, task, block, (16 * block + place - 1)::integer AS index,
    result.prediction, result.official_2024_06, result.official_2024_09, result.strict,
    portal_has_blank(predictions) AS has_blank, portal_result_words(task, predictions) AS words
FROM portal_resultblock AS blocks
CROSS JOIN LATERAL unnest(
    blocks.predictions, blocks.official_2024_06, blocks.official_2024_09, blocks.strict
) WITH ORDINALITY AS result(prediction, official_2024_06, official_2024_09, strict, place);


-- A scored evaluation has its scores

-- Checked at the end of the transaction, because one transaction writes the state and the scores,
-- in any order.
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


-- The audit log: a chain of hashes that only grows. Computed here, so that no code can insert an
-- entry without its link.

-- Each field has its length in front, so that no two entries give the same text. The subject is a
-- field only of entries that have one.
CREATE FUNCTION portal_audit_hash(previous text, entry portal_auditentry) RETURNS text
LANGUAGE sql STABLE AS $$
    SELECT encode(sha256(convert_to(
        string_agg(octet_length(field) || ':' || field, '' ORDER BY place), 'UTF8'
    )), 'hex')
    FROM unnest(ARRAY[
        previous,
        entry.number::text,
        coalesce(entry.submission_id::text, ''),
        coalesce(entry.actor_id::text, ''),
        entry.action,
        entry.before,
        entry.after,
        entry.reason,
        to_char(entry.at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US')
    ] || array_remove(ARRAY[entry.subject::text], '')) WITH ORDINALITY AS fields (field, place)
$$;

-- The upsert locks the single row of portal_audithead until the transaction ends, so that numbers
-- have no gaps. The time is read under that lock: now(), the start of the transaction, could give
-- the later of two entries the earlier time.
CREATE FUNCTION portal_audit_link() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    head portal_audithead;
BEGIN
    INSERT INTO portal_audithead (id, entries, hash) VALUES (1, 1, '')
        ON CONFLICT (id) DO UPDATE SET entries = portal_audithead.entries + 1
        RETURNING * INTO head;
    NEW.number := head.entries;
    NEW.at := greatest(
        clock_timestamp(), (SELECT at FROM portal_auditentry WHERE number = head.entries - 1)
    );
    NEW.hash := portal_audit_hash(head.hash, NEW);
    UPDATE portal_audithead SET hash = NEW.hash;
    RETURN NEW;
END $$;

CREATE FUNCTION portal_audit_stays() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'audit entries are written once, never changed'
        USING ERRCODE = 'restrict_violation';
END $$;

CREATE TRIGGER audit_entries_are_linked BEFORE INSERT ON portal_auditentry
    FOR EACH ROW EXECUTE FUNCTION portal_audit_link();
CREATE TRIGGER audit_entries_stay BEFORE UPDATE OR DELETE ON portal_auditentry
    FOR EACH ROW EXECUTE FUNCTION portal_audit_stays();


