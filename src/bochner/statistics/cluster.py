"""How a pass over rows on a cluster is cut. (`bochner.statistics.dask` does it; plans must not need Dask.)"""

BRANCHES = 4
"""Moments that one task merges."""

TASKS_PER_THREAD = 4
"""Tasks of a pass: what a lost worker costs, against merges and traffic."""

WAVES = 8
"""Parts of a pass with a checkpoint, which is written between them."""
