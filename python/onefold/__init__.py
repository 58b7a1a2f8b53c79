"""Onefold folds arrays into answers, exactly: sum, mean, var, argmax and more, in one pass.

Functions; help(onefold.mean) has arguments and examples:

    of an array      sum mean average var std sem min max ptp argmin argmax any all
                     nansum nanmean nanvar nanstd nanmin nanmax nanargmin nanargmax nanmedian nanquantile
                     median quantile argquantile mode nunique trimmed_mean winsorized_mean
                     count count_nan count_inf count_zero count_nonzero histogram histogram2d
                     sumsq rms norm1 norm2 norminf skewness kurtosis kurtosis_pearson moment
                     moment3 moment4 raw_moment2 raw_moment3 raw_moment4
    of two arrays    dot corr cov slope intercept mse rmse mae max_abs_diff distance cosine
                     total_var total_std
    several answers  fold describe agg fold_by fold_segments explain
    windows, scans   rolling expanding cumsum cummean cummin cummax cumvar
    matrices         matmul addmm tensordot einsum vecdot gram cov_matrix corr_matrix linear_fit
    exponentials     logsumexp logmeanexp softmax log_softmax
    normalisation    rms_norm layer_norm
    states           gather gather_parts gather_logsumexp State States LogsumexpStates
    and              expr dequantize read info set_threads

Every answer is the formula over the real numbers, rounded once. So the same data give the same
bits, whatever their memory layout, the number of threads or the chunks.

    onefold.sum(x)                          # ndarray, buffer, list, tensor, path: as np.sum
    onefold.mean(x, axis=0, nan="omit")     # the names and defaults of NumPy
    m, v = onefold.fold("mean,var", x)      # several answers, one pass
    onefold.fold("sum", "huge.npy")         # a file, read in pieces
    s = onefold.gather("mean", part)        # states merge: s |= other
"""

from . import _core, _ops, linalg
from ._core import LogsumexpStates, State, States
from .errors import (
    AxisError,
    DeviceError,
    DTypeError,
    EmptyError,
    Error,
    FileError,
    InexactWarning,
    InternalError,
    NanError,
    NoBackendError,
    OptionError,
    OutOfMemoryError,
    OverflowError,
    PeerError,
    ShapeError,
    StateError,
    UnsupportedError,
)
from .files import TableWarning
from .groups.agg import agg
from .linalg import matmul, tensordot, vecdot
from .linalg.addmm import addmm
from .linalg.einsum import einsum
from .linalg.fit import LinearFit, corr_matrix, cov_matrix, gram, linear_fit
from .operands.expr import expr
from .order.argquantile import argquantile
from .order.histogram import histogram, histogram2d
from .order.order import mode, nunique, trimmed_mean, winsorized_mean
from .order.quantile import median, nanmedian, nanquantile, quantile
from .reduce.blocks import dequantize
from .reduce.describe import describe
from .reduce.fold import explain, fold, fold_by, fold_segments, gather, gather_parts
from .reduce.layer_norm import layer_norm, rms_norm
from .reduce.logsumexp import gather_logsumexp, log_softmax, logmeanexp, logsumexp, softmax
from .reduce.moment import moment
from .windows.rolling import expanding, rolling
from .windows.windows import cummax, cummean, cummin, cumsum, cumvar

__version__ = _core.version
ops = tuple(_ops.ops)
_functions = [name for name in dir(_core) if getattr(_core, name).__class__ is _core.sum.__class__
              and name.removeprefix("nan") in ops]
globals().update({name: getattr(_core, name) for name in _functions})


# Names of NumPy that are called otherwise here.
_instead = {"percentile": "quantile(x, q / 100)", "nanpercentile": "nanquantile(x, q / 100)",
            "corrcoef": "corr_matrix(x), or onefold.corr(x, y) for one number",
            "groupby": "fold(ops, frame, by=key)", "percentiles": "quantile(x, q)"}


def __getattr__(name):
    instead = _instead.get(name)
    if instead is None and (alias := _core.alias(name)):
        op, note = alias
        instead = f"{op}(x){', ' * bool(note)}{note.replace('--ddof 1', 'ddof=1')}"
    if instead is not None:
        instead = f"; write onefold.{instead}"
    elif name in ("prod", "nanprod"):
        instead = ", because an exact product has as many digits as all its factors together; call numpy.prod, which rounds"
    raise AttributeError(f"module 'onefold' has no attribute '{name}'{instead or ''}")


def set_threads(n):
    """Sets the number of threads of calls without threads=; 0: one per core. ONEFOLD_NUM_THREADS sets it, too."""
    from . import errors

    threads = errors.integer("set_threads", "n", n)
    if not 0 <= threads <= 65536:
        raise errors.make("bad_option", f"set_threads: {threads} is not between 0 and 65536")
    _core.set_threads(threads)


def info(x=None, /, *, format=None, dtype=None, shape=None, offset=None, columns=None, header=None,
         delimiter=None, missing=None, bad_lines=None, decimal=None, thousands=None,
         numbers=None, non_numbers=None, date_format=None, skip=None, comment=None, units=None):
    """The contents of a file: its format, and the name, type, shape and missing values of its arrays or columns.

    x        a path, with the keywords for files that fold() has. Without a path info() describes this machine:
             version, instruction sets, threads, devices, readable formats and codecs, and why others are not
    returns  a dict
    """
    from . import errors, files

    keywords = dict(locals())
    for name in ("x", "errors", "files"):
        del keywords[name]
    if x is not None:
        return files.contents(x, keywords)
    if given := [f"{name}=" for name, value in keywords.items() if value is not None]:
        raise errors.make("bad_option", f"info: without a path, {', '.join(given)} cannot be used; pass the path of "
                           "a file first")
    return _core.info()


def read(x, /, *, format=None, dtype=None, shape=None, offset=None):
    """The array in a file, in memory. Functions that fold windows, segments, exponentials, orders or products read files so, too.

    x        a path, such as "data.h5:/temperature", of a format of arrays (.npy, HDF5, netCDF, Zarr, raw numbers), with the
             keywords for such files that fold() has
    returns  an ndarray; of .npy files also one of text
    """
    from . import files

    return files.load("read", x, {"format": format, "dtype": dtype, "shape": shape, "offset": offset})


def _threads_of_environment():
    import os

    text = os.environ.get("ONEFOLD_NUM_THREADS", "")
    if text.isdecimal() and int(text) <= 65536:
        _core.set_threads(int(text))


_threads_of_environment()

_builtins = {"sum", "min", "max", "any", "all"}
__all__ = [name for name in (
    *_functions, "vecdot", "matmul", "addmm", "tensordot", "einsum", "linalg", "fold", "fold_by", "fold_segments", "gather", "gather_parts", "describe", "agg",
    "median", "quantile", "nanmedian", "nanquantile", "explain", "expr", "dequantize", "info", "read", "State", "States", "rolling", "expanding", "cumsum", "cummean", "cummin", "cummax", "cumvar",
    "trimmed_mean", "winsorized_mean", "mode", "nunique", "argquantile", "histogram", "histogram2d", "moment", "logsumexp", "logmeanexp", "gather_logsumexp", "LogsumexpStates", "softmax", "log_softmax", "rms_norm", "layer_norm",
    "cov_matrix", "corr_matrix", "gram", "linear_fit", "LinearFit",
    "set_threads", "Error", "AxisError", "DeviceError", "DTypeError", "EmptyError", "FileError", "InexactWarning", "InternalError",
    "NanError", "NoBackendError", "OptionError", "OutOfMemoryError", "PeerError", "ShapeError",
    "StateError", "TableWarning", "UnsupportedError") if name not in _builtins]
