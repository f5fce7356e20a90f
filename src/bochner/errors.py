"""Exceptions, warnings, and the one wording of an input error.

::

    BochnerError
     ├── InvalidParameterError   (also a ValueError)   a parameter breaks its rule
     ├── InvalidDataError        (also a ValueError)   rows, targets or weights break a rule
     ├── AssumptionError         (also a ValueError)   a theorem's assumption does not hold
     ├── CheckpointError         (also a ValueError)   a checkpoint is damaged, or belongs to another fit
     ├── ClusterError            (also a RuntimeError) the scheduler or the workers of a cluster are gone
     ├── FileFormatError         (also a ValueError)   a file is damaged, altered, too new or not one of ours
     ├── UnsupportedModelError   (also a TypeError)    a model has a part that a file or graph cannot hold
     ├── MissingStatisticsError  (also an AttributeError) a model was saved without its statistics
     ├── MemoryBudgetError       (also a MemoryError)  the bill exceeds the budget
     ├── TimeBudgetError         (also a TimeoutError) a fit would take longer than the budget
     └── MissingExtraError       (also an ImportError) an optional package is not installed

    BochnerWarning (a UserWarning)
     ├── CheckpointWarning       a checkpoint could not be written; the fit goes on
     ├── IllConditionedWarning   the normal equations are singular to working precision
     ├── NearCopiesWarning       rows are nearly copies of each other, and each cluster of them counts as one row
     ├── NoSkillWarning          a model is no better than the mean on rows that were left out
     ├── LargeWeightWarning      weights sum to far more than the rows
     ├── LittleDataWarning       rows are few, or their weights sum to little
     ├── ExtrapolationWarning    rows to predict are far outside the rows of the fit
     ├── WidthWarning            a search for a width ended at its limit while the error still fell
     ├── FirstBlockWarning       partial_fit set a data-dependent choice from the first block only
     └── TableWarning            a table has what the table of the fit did not have
"""

from __future__ import annotations

__all__ = [
    "AssumptionError",
    "BochnerError",
    "BochnerWarning",
    "CheckpointError",
    "CheckpointWarning",
    "ClusterError",
    "ExtrapolationWarning",
    "FileFormatError",
    "FirstBlockWarning",
    "IllConditionedWarning",
    "InvalidDataError",
    "InvalidParameterError",
    "LargeWeightWarning",
    "LittleDataWarning",
    "MemoryBudgetError",
    "MissingExtraError",
    "MissingStatisticsError",
    "NearCopiesWarning",
    "NoSkillWarning",
    "TableWarning",
    "TimeBudgetError",
    "UnsupportedModelError",
    "WidthWarning",
    "invalid_parameter",
]


class BochnerError(Exception):
    """Base of every error that bochner raises on purpose."""


class InvalidParameterError(BochnerError, ValueError):
    """A parameter breaks its rule."""


class InvalidDataError(BochnerError, ValueError):
    """Rows, targets or weights break a rule."""


class AssumptionError(BochnerError, ValueError):
    """A theorem was asked for where one of its assumptions does not hold."""


class FileFormatError(BochnerError, ValueError):
    """A file is damaged, altered, too new for this version, or not one of bochner's."""


class UnsupportedModelError(BochnerError, TypeError):
    """A model has a part that the file or graph asked for cannot hold."""


class MissingStatisticsError(BochnerError, AttributeError):
    """A model was saved without its statistics, and they are needed."""


class MemoryBudgetError(BochnerError, MemoryError):
    """The memory bill of a computation exceeds the budget, and nothing was allocated; or the system gave no more."""


class TimeBudgetError(BochnerError, TimeoutError):
    """A fit would take longer than the time budget, and was not begun."""


class CheckpointError(BochnerError, ValueError):
    """A checkpoint is damaged, or belongs to another fit."""


class ClusterError(BochnerError, RuntimeError):
    """The scheduler or the workers of a cluster are gone, and do not come back."""


class MissingExtraError(BochnerError, ImportError):
    """An optional package is needed and not installed."""

    def __init__(self, package: str, extra: str) -> None:
        super().__init__(f"{package} is not installed. Run: pip install 'bochner[{extra}]'")


class BochnerWarning(UserWarning):
    """Base of every warning that bochner gives."""


class CheckpointWarning(BochnerWarning):
    """A checkpoint could not be written; the fit goes on, and an older checkpoint is still there."""


class IllConditionedWarning(BochnerWarning):
    """The normal equations are singular to working precision."""


class NoSkillWarning(BochnerWarning):
    """A model is no better than predicting the mean on rows that were left out."""


class LargeWeightWarning(BochnerWarning):
    """Weights sum to far more than the number of rows: copies of rows that agree say that there is no noise."""


class LittleDataWarning(BochnerWarning):
    """A model has so few rows, or weights of so small a sum, that what it chose is a guess."""


class NearCopiesWarning(BochnerWarning):
    """Rows are nearly copies of each other, and each cluster of them counts as one row."""


class ExtrapolationWarning(BochnerWarning):
    """Rows to predict are far outside the rows of the fit, where a model knows nothing."""


class WidthWarning(BochnerWarning):
    """A search for a width ended at its limit while the error still fell."""


class FirstBlockWarning(BochnerWarning):
    """partial_fit set a data-dependent choice from the first block only."""


class TableWarning(BochnerWarning):
    """A table has what the table of the fit did not have: levels, gaps or columns."""


def invalid_parameter(owner: object, name: str, rule: str, value: object) -> InvalidParameterError:
    """The error for parameter `name` of `owner` that must be `rule`, in scikit-learn's wording."""
    owner_name = owner if isinstance(owner, str) else type(owner).__name__
    return InvalidParameterError(f"The {name!r} parameter of {owner_name} must be {rule}. Got {value!r} instead.")
