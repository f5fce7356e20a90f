"""Reports and displays: fitted model and test rows -> JSON summary -> charts -> one HTML page."""

from bochner.reporting.report import Report, report
from bochner.reporting.summary import summarise

__all__ = ["Report", "report", "summarise"]
