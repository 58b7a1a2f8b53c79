"""A pytest plugin: runs Dask's own tests of reductions on onefold.dask."""

import dask.array as da
import dask.array.reductions

import onefold
import onefold.dask


def _of(name):
    theirs = getattr(da, name)
    op, nan = name.removeprefix("nan"), "omit" if name.startswith("nan") else "propagate"

    def function(a, axis=None, dtype=None, keepdims=False, split_every=None, out=None, ddof=None,
                 **more):
        ours = isinstance(a, da.Array) and a.dtype.kind in "biuf" and a.dtype.itemsize <= 8
        if not ours or out is not None or more or axis == () or (
                dtype is not None and da.asarray([]).astype(dtype).dtype.kind != "f"):
            keywords = {"dtype": dtype, "ddof": ddof, "out": out}
            more.update({k: v for k, v in keywords.items() if v is not None})
            return theirs(a, axis=axis, keepdims=keepdims, split_every=split_every, **more)
        if op in ("argmin", "argmax") and isinstance(axis, tuple):
            raise TypeError("one axis")
        keywords = {"ddof": ddof} if op in ("var", "std") else {}
        if dtype is not None and op in ("sum", "mean", "var", "std"):
            keywords["dtype"] = dtype
        return onefold.dask.fold(op, a, axis=axis, keepdims=keepdims, nan=nan,
                                 split_every=split_every, **keywords)[0]

    function.__name__ = name
    return function


for _name in ("sum", "mean", "var", "std", "min", "max", "argmin", "argmax", "any", "all"):
    setattr(da, _name, _of(_name))
for _name in ("sum", "mean", "var", "std", "min", "max", "argmin", "argmax"):
    setattr(da, f"nan{_name}", _of(f"nan{_name}"))
for _name in dir(da):
    if callable(getattr(da, _name)) and getattr(da, _name).__module__ == __name__:
        setattr(dask.array.reductions, _name, getattr(da, _name))
