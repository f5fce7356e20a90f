"""Reports and plots: a model and rows to look at it with -> a plain dict -> figures -> one page."""

from bochner.reporting.report import Report, report
from bochner.reporting.summary import summarise

__all__ = ["Report", "report", "summarise"]
