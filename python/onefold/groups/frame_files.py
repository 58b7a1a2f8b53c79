"""Frames as temporary files of Arrow, for what the library does with tables of files only."""

import contextlib
import os
import sys

from .. import errors, files
from ..operands.found import library_of
from ..operands.frame_columns import refuse_one_name


@contextlib.contextmanager
def file_of(op, x, words=""):
    """A path of a file with a frame's rows. NaN in pandas' own columns of floats are numbers, which the NaN policy is for.

    words  of the call: a warning says that columns which these name have times in UTC
    """
    import tempfile

    try:
        import pyarrow
    except ModuleNotFoundError:
        raise errors.make("unsupported", f"{op}: frames need PyArrow, which is not installed: pip install pyarrow") from None
    if isinstance(x, pyarrow.RecordBatch):
        x = pyarrow.table(x)
    names = x.column_names if isinstance(x, pyarrow.Table) else list(x.columns)
    refuse_one_name(names, names)
    if library_of(x) == "polars":  # types that all versions of Arrow know
        table = x.to_arrow(compat_level=sys.modules["polars"].CompatLevel.oldest())
    else:
        try:
            if isinstance(x, pyarrow.Table):
                table = x
            elif library_of(x) == "pandas":  # its index is no column
                table = pyarrow.Table.from_pandas(x, preserve_index=False)
            else:
                table = pyarrow.table(x)
        except (pyarrow.ArrowException, OverflowError, TypeError) as error:
            raise errors.make("unsupported", f"{op}: a column has no Arrow type: {' '.join(map(str, error.args))}; leave it "
                               "out or convert it") from None
    for k, field in enumerate(table.schema):
        if pyarrow.types.is_dictionary(field.type):  # categories
            table = table.set_column(k, field.name, table.column(k).cast(field.type.value_type))
        elif pyarrow.types.is_run_end_encoded(field.type):
            from pyarrow.compute import run_end_decode

            table = table.set_column(k, field.name, run_end_decode(table.column(k)))
        elif library_of(x) == "pandas" and str(x.dtypes.iloc[k]).startswith("float"):
            table = table.set_column(k, field.name, pyarrow.array(x.iloc[:, k].to_numpy(), from_pandas=False))
    _warn_of_zones(table.schema, words)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "frame.arrow")
        with pyarrow.OSFile(path, "wb") as file, pyarrow.ipc.new_file(file, table.schema) as writer:
            writer.write_table(table)
        yield path


def _warn_of_zones(schema, words):
    import re

    names = set(re.findall(r"`[^`]+`|\w+", words))
    for field in schema:
        zone = getattr(field.type, "tz", None)
        if zone not in (None, "UTC") and "to_zone" not in names and names & {field.name, f"`{field.name}`"}:
            files.warn([f"column {field.name} has the time zone {zone}, but it is read as UTC, and answers are in UTC; for "
                         f"hours in that zone write hour(to_zone({field.name}, \"{zone}\"))"])
