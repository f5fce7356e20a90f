"""File container of arrays and one JSON text in a zip archive. Nothing in it is ever executed.

Members are stored as they are, so a file holds no more than its size and arrays move at the speed of the disk:

    arrays/<name>     the raw bytes of an array, little-endian, in C or Fortran order
    header.json       kind and version of the content, its own header, and a table of the arrays with their SHA-256
    archive comment   SHA-256 of header.json, which is so a checksum over everything

A checksum finds damage and careless edits. It is no signature: whoever can write the file can write the checksum.
"""

from bochner._archive.read import ForeignFileError, read_archive
from bochner._archive.write import write_archive

__all__ = ["ForeignFileError", "read_archive", "write_archive"]
