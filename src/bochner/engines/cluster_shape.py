"""Task sizes of a pass on a cluster: tasks, merges, waves. The cost model of a plan has the same numbers."""

BRANCHES = 4
"""Totals that one task merges."""

TASKS_PER_THREAD = 4
"""Tasks of a pass: what a lost worker costs, against merges and traffic."""

WAVE_SECONDS = 5.0
"""Length of the parts of a pass with a checkpoint, which is written between them."""
