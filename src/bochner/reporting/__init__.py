"""Reports and plots: a model and rows it has not seen -> a plain dict -> figures -> one page."""

from bochner.reporting.report import Report, report
from bochner.reporting.summary import summarise

__all__ = ["Report", "report", "summarise"]
