"""Reports and displays: fitted model and test rows -> JSON summary -> charts -> one HTML page."""

from bochner.reporting.comparison import comparison_report
from bochner.reporting.drift_page import drift_report
from bochner.reporting.report import Report, report
from bochner.reporting.summary import summarise

__all__ = ["Report", "comparison_report", "drift_report", "report", "summarise"]
