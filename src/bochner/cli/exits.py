"""Exit codes of the commands, and the error for work that exceeds its budget."""

from __future__ import annotations

from bochner.errors import BochnerError

__all__ = ["ANSWER_IS_NO", "BAD_INPUT", "DEFECT", "INTERRUPTED", "NO_READER", "OVER_BUDGET", "OverBudgetError"]

ANSWER_IS_NO = 1
BAD_INPUT = 2
OVER_BUDGET = 3
DEFECT = 70
INTERRUPTED = 130
NO_READER = 141


class OverBudgetError(BochnerError):
    """A width or an accuracy takes more memory or time than the budget."""
