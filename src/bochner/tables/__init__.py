"""Mixed tables to numbers: encoders of columns, targets, weights, and the split into training and test rows."""

from bochner.tables.cells import rows_counted
from bochner.tables.encoder import TableEncoder
from bochner.tables.information import unnamed_indices
from bochner.tables.named_columns import column_of_table
from bochner.tables.new_values import NewValues
from bochner.tables.reading import read_column
from bochner.tables.reservoir import rows_to_keep
from bochner.tables.rows import SplitTable, TableRows, encode_rows, split_rows
from bochner.tables.split import held_out_by_column, held_out_by_lot
from bochner.tables.stream import TableStream
from bochner.tables.survey import ColumnRoles, Survey, survey
from bochner.tables.target import Target, Task, read_target, read_weights

__all__ = [
    "ColumnRoles",
    "NewValues",
    "SplitTable",
    "Survey",
    "TableEncoder",
    "TableRows",
    "TableStream",
    "Target",
    "Task",
    "column_of_table",
    "encode_rows",
    "held_out_by_column",
    "held_out_by_lot",
    "read_column",
    "read_target",
    "read_weights",
    "rows_counted",
    "rows_to_keep",
    "split_rows",
    "survey",
    "unnamed_indices",
]
