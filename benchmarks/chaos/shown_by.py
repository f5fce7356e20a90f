"""What the attack from outside had found, and the tests that show that it holds now."""

from __future__ import annotations

FOUND = (
    (
        "a forged model file reads foreign memory",
        "io/test_forged_files.py",
        "an_object_with_the_attributes_of_an_array",
    ),
    ("", "io/test_catalogue_shapes.py", "every_feature_map_and_projection_with_arrays_has_a_rule"),
    ("", "io/test_forged_files.py", "a_sample_of_forged_files_is_refused_or_used"),
    ("a huge cell, target or weight: fits without end", "test_magnitude.py", "a_huge_cell_is_refused_with_its_place"),
    ("", "test_magnitude.py", "huge_targets_are_refused"),
    ("", "test_magnitude.py", "huge_weights_are_refused"),
    ("", "test_magnitude.py", "a_fit_that_left_the_numbers_ends"),
    ("", "fitting/test_forged_checkpoints.py", "nan_ends_conjugate_gradients"),
    ("a read-only installation without a home", "test_compiled.py", "nothing_to_cache_in"),
    ("the memory budget", "scale/test_budgets.py", "every_public_name_is_measured_or_excused"),
    ("", "scale/test_budgets.py", "quick_calls_stay_within_their_budget"),
    ("", "scale/test_memory_limits.py", "a_fit_stays_within_its_bill_under_a_hard_limit"),
    ("limits of the system", "test_limits.py", "the_budget_is_within_the_limits_of_the_process"),
    ("", "test_limits.py", "every_group_above_counts"),
    ("", "test_limits.py", "groups_of_version_1_and_those_above_them"),
    ("", "test_blas_buffers.py", "a_fit_under_a_limit_ends_with_a_model_or_a_bill"),
    (
        "threads of BLAS after predictions in threads",
        "test_threads.py",
        "predictions_of_many_threads_leave_blas_as_it_was",
    ),
    ("`predict -o` beside other writers", "cli/test_targets.py", "a_planted_link_is_not_followed_and_two_writers"),
    ("", "test_files.py", "readers_see_whole_files_while_two_write"),
    (
        "models of `sales.2024.csv` and `.2025.csv`",
        "cli/test_targets.py",
        "tables_of_two_years_have_models_of_their_own",
    ),
    ("`--model-file` that is the table", "cli/test_targets.py", "an_output_is_never_an_input_by_whatever_name"),
    ("the command line reads whole tables", "cli/test_pieces.py", "memory_does_not_grow_with_the_table"),
    ("", "data/test_table_files.py", "text_is_not_read_far_ahead_of_a_slow_reader"),
    (
        "tracebacks of the command line",
        "cli/test_streams.py",
        "a_closed_output_is_told_with_the_files_that_were_written",
    ),
    ("", "cli/test_streams.py", "an_output_without_umlauts_has_escapes"),
    ("", "cli/test_streams.py", "cells_of_1e308_are_an_error_with_their_place"),
    (
        "a Dask client that is killed early",
        "engines/test_dask_loss.py",
        "the_first_checkpoint_of_many_partitions_comes_after",
    ),
    ("", "engines/test_cluster_shape.py", "waves_grow_to_those_that_take_seconds"),
    ("checkpoints of classifiers", "estimators/test_classifier_checkpoint.py", "a_killed_fit_goes_on_to_the_same_bits"),
    ("an interrupt during imports", "cli/test_streams.py", "an_interrupt_during_imports_ends_with_130"),
    (
        "crafted checkpoints",
        "fitting/test_forged_checkpoints.py",
        "a_forged_checkpoint_is_refused_with_path_and_remedy",
    ),
    ("`load` returns a list", "io/test_forged_files.py", "only_models_are_loaded"),
    ("a part file left by a kill", "test_files.py", "the_part_of_a_killed_writer_is_removed_by_the_next"),
    ("lines wider than the terminal", "cli/test_streams.py", "no_line_is_wider_than_the_terminal"),
    ("`scan_frame` names the wrong extra", "data/test_frame.py", "without_polars_the_extra_that_installs_it_is_named"),
    ("a lost scheduler", "cluster/test_lost_scheduler.py", "a_killed_scheduler_is_one_error_and_the_fit_goes_on"),
    ("the same bits after a kill", "scale/test_same_bits.py", "a_resumed_fit_has_the_bits_of_one_that_was_not"),
    ("a server", "docs/test_server.py", "many_clients_at_once_get_the_bits_of_predict"),
    ("", "docs/test_server.py", "a_malformed_body_is_the_clients_fault_and_says_why"),
)
"""What it was (empty: as above), a file of tests, and the name of the test without `test_`, or how it begins."""


def rows() -> list[tuple[str, str]]:
    """Lines of a table: what was found, and the test."""
    return [(what, f"`tests/{file}`: {name.replace('_', ' ')}") for what, file, name in FOUND]
