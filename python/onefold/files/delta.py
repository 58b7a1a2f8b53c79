"""Delta tables: their log, which deltalake reads, says which files of the folder count."""

import os

from .. import errors
from ..errors import unsupported


def is_delta(path):
    return isinstance(path, str) and os.path.isdir(os.path.join(path, "_delta_log"))


def files_of(path):
    """The files of a table's newest version; a column that one of them lacks has nulls there."""
    try:
        import deltalake
    except ImportError:
        raise unsupported(f"open {path}", "reading a Delta table needs deltalake, which is not installed: pip install deltalake") from None
    try:
        table = deltalake.DeltaTable(path)
        mapped = table.metadata().configuration.get("delta.columnMapping.mode", "none") != "none"
        features = set(table.protocol().reader_features or ())
        deleted = "deletionVectors" in features and any(len(batch) for batch in table.deletion_vectors())
        files = table.file_uris()
    except Exception as error:
        raise errors.make("bad_header", f"open {path}: deltalake cannot read the table's log: {error}") from None
    lacks = ("column mapping" if mapped else
             "deletion vectors" if deleted else "")
    if lacks:
        raise unsupported(f"open {path}", f"Delta tables with {lacks} are not supported; read the table into a frame, and fold that")
    if not files:
        raise errors.make("empty_input", f"open {path}: the Delta table has no rows")
    return sorted(files)
