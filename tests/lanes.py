"""The lane of each test: by folder, file or name below ``tests``.

``make test-fast`` runs none of ``LANES``, ``make test`` all but the ``EXHAUSTIVE``, and
``make test-all`` everything.
"""

LANES = {
    "browser/": "browser",
    "system/": "system",
    "scoring/generators/": "slow",
    "scoring/baseline/": "slow",  # reads what the generators write
    "scoring/cli/test_command.py": "system",
    "scoring/endpoint/test_commands.py": "system",
    "portal/test_settings.py": "system",
    "scoring/metrics/test_strict_adversary.py": "slow",
    "scoring/predictions/test_fuzz.py": "slow",
    "portal/test_permission_matrix.py": "slow",  # these ask every address in every way
    "portal/web/test_broken_text.py": "slow",
    "portal/submissions/test_bad_uploads.py": "slow",  # scores in real boxes
}

# More of what the suite has once: whole programs that end in every phase, pages in all themes and
# widths, all releases, simulations, bounds in seconds, and the same crawl with another question.
EXHAUSTIVE = (
    "browser/",
    "system/",
    "scoring/generators/",
    "scoring/baseline/",
    # Whole programs
    "scoring/endpoint/test_commands.py::test_after_kill_9",
    "portal/submissions/test_upload_cost.py",
    "portal/submissions/test_bad_uploads.py::test_a_large_bad_file",
    "portal/submissions/test_bad_uploads.py::test_a_file_that_is_too_large",
    "portal/releases/test_import_command.py::test_memory_does_not_grow_with_the_release",
    "portal/demo/test_openai_server.py::test_two_million_tokens_of_chinese_are_read",
    # Backups
    "portal/operations/test_backup.py",
    # Crawls
    "portal/test_secrets.py::test_details_of_a_failure_are_not_for_the_public",
    "portal/test_secrets.py::test_labels_and_undisclosed_scores_of_a_hidden_release_are_in_no_answer",
    "portal/endpoint_runs/test_canary.py::test_a_report_of_an_error_has_no_key",
    "portal/web/test_broken_text.py::test_every_address",
    "portal/web/test_broken_text.py::test_no_address",
    "portal/web/test_long_bodies.py::test_no_form_reads_a_long_body",
    "portal/web/test_long_cookies.py::test_no_address_parses_long_cookies",
    "leaderboard/test_hidden_pages.py::test_no_address_tells_authors",
    "leaderboard/test_hidden_pages.py::test_no_address_shows_a_label_or_an_answer",
    "leaderboard/test_scheduled_pages.py",
    # Simulations
    "scoring/test_climbing.py",
    "scoring/breakdowns/test_effective_context.py::test_the_interval_holds_the_window_in_at_least",
    "scoring/breakdowns/test_position.py::test_p_is_as_often_small_as_it_says",
    "scoring/comparison/test_board.py::test_equal_models_are_rarely_told_apart",
    "scoring/metrics/test_strict_adversary.py",
    "scoring/test_intervals.py::test_the_interval_of_few_texts_covers_the_truth",
    # Bounds in seconds
    "scoring/baseline/test_time.py",
    "scoring/endpoint/test_wire.py::test_one_long_line_in_small_pieces_takes_time_in_proportion",
    "scoring/explanations/test_differences.py::test_two_texts_of_200_000_characters",
    "scoring/explanations/test_explain.py::test_a_long_prediction_is_explained_in_less",
    "scoring/metrics/test_strict.py::test_a_quarter_of_a_megabyte_takes_less",
    "scoring/predictions/test_fuzz.py::test_no_input_takes_more_than",
    "scoring/predictions/test_fuzz.py::test_time_grows_with_the_input",
    "scoring/releases/test_evidence.py::test_hostile_contexts_take_linear_time",
)

# What the suite keeps of these: a test for each promise, and four journeys in a browser.
KEPT = (
    "browser/test_whole_way.py",  # submit, review, publish, read
    "browser/test_endpoint_run.py",  # run
    "browser/test_context.py::test_places_are_searched_and_gone_to",  # inspect
    "browser/test_admin_pages.py",  # admin
    "system/test_children.py::test_a_child_that_exits_ends_the_demo_with_a_message",
    "system/test_children.py::test_the_next_start_ends_what_survived_the_death_of_the_demo",
    "system/test_demo.py::test_the_state_of_an_earlier_release_is_refused",
    "system/test_demo.py::test_an_invalid_port_is_reported",
    "system/test_demo.py::test_the_accounts_have_their_roles_and_a_verified_address",
    "system/test_demo.py::test_a_changed_password_is_kept_and_not_shown",
    "system/test_demo.py::test_accounts_with_known_names_are_only_made_in_the_demo",
    "system/test_fault_broker.py::test_messages_of_another_version_are_ignored",
    "system/test_fault_broker.py::test_redis_is_killed_under_a_worker_that_scores",
    "system/test_fault_clock.py::test_the_evaluation_of_a_killed_worker_goes_to_another",
    "system/test_fault_clock.py::test_jobs_do_not_depend_on_the_local_clock",
    "system/test_fault_people.py",
    "system/test_fault_resources.py::test_on_a_full_disk_scoring_is_retried_until_there_is_space",
    "system/test_fault_resources.py::test_a_file_that_needs_too_much_memory_fails_without_a_retry",
    "system/test_fault_sandbox.py",
    "system/test_faults.py::test_the_worker_is_killed_while_scoring",
    "system/test_faults.py::test_the_worker_is_killed_between_the_scores_and_the_commit",
    "system/test_faults.py::test_five_deliveries_at_once",
    "system/test_faults.py::test_a_poison_file_fails_after_three_attempts",
    "system/test_faults.py::test_the_late_result_of_a_stopped_worker_is_refused",
    "system/test_faults.py::test_the_database_is_killed_while_scoring",
    "system/test_heartbeats.py::test_a_worker_that_waits_goes_on_saying_so",
    "system/test_postgres.py",
    "system/test_proxy.py::test_forwarding_headers_of_a_client_are_replaced",
    "scoring/generators/test_grammar.py",
    "scoring/generators/test_release.py",
    "scoring/baseline/test_perfect_reader.py",
    "scoring/baseline/test_rules.py",
    "scoring/test_climbing.py::test_significance_needs_three_standard_errors_and_one_point",
    "scoring/test_climbing.py::test_scores_of_other_examples_are_not_compared",
    "portal/operations/test_backup.py::test_a_restored_site_answers_like_the_one_that_was_backed_up",
    "portal/operations/test_backup.py::test_no_secret_is_in_a_backup",
)


def is_exhaustive(test: str) -> bool:
    """``test``: the file below ``tests`` and the name of the test, joined by ``::``."""
    return test.startswith(EXHAUSTIVE) and not test.startswith(KEPT)
