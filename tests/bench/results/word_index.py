"""The index of words, which fills leave out until all rows are there."""

INDEX = """
CREATE INDEX result_blocks_words ON portal_resultblock
USING gin (portal_result_words(task, predictions)) WITH (gin_pending_list_limit = 65536)
"""
