"""Complex numbers, as the two planes of their real and imaginary parts; each answer is made of folds of these.

    sum, mean   by parts, each rounded once
    var, std    of |x - mean|^2, real: the op total_var of the parts, rounded once
    norm2       the root of the sum of both squares, rounded once; sumsq that sum
    dot         the sum of x y; vecdot that of conj(x) y: each part is one dot product, rounded once
    matmul      the same for each entry: one product of real matrices, of twice the rows and columns
    NaN         of sum and mean by parts; for nan= an element is NaN if one of its parts is
"""

import sys

from .. import errors
from . import giver, kind_of, like
from .found import library_of, on_device, type_name, unsupported
from .masks import absent_from, as_ndarray, bools, is_masked, masked, without_freedom
from .small import widened
from .wrap import stacked

_spreads = {"var": "total_var", "std": "total_std"}
_truths = {"any": "any", "all": "all", "count_nonzero": "count_nonzero", "count_zero": "count_zero"}
_no_order = "complex numbers have no order, so none is the smallest or largest"
_why_not = {
    "norm1": "it is a sum of square roots, which is not exact; norm1(abs(x)) sums the rounded roots",
    "norminf": "it is the largest of square roots, which are not exact; norminf(abs(x)) compares the rounded roots",
    "rms": "divide norm2 by the square root of the count",
    **dict.fromkeys(("min", "max", "argmin", "argmax", "ptp"), _no_order)}
_folded = ("sum", "mean", "average", *_spreads, "sumsq", "norm2", "dot", "count", "count_nan", *_truths)
_refused = ("initial", "fweights", "errors", "progress")


def is_complex(x):
    """Whether x is an array of complex numbers, of NumPy or torch."""
    dtype = getattr(x, "dtype", None)
    if getattr(dtype, "kind", None) == "c":
        return dtype.itemsize <= 16
    return getattr(dtype, "is_complex", False) is True and str(dtype).endswith(("complex64", "complex128"))


def have_answers(ops):
    """Whether complex numbers have answers to all of these ops."""
    return all(op in _folded for op in ops.split(","))


class _OfNumpy:
    """Real and imaginary parts of NumPy's complex arrays."""

    def __init__(self):
        self.numpy = sys.modules["numpy"]

    def array(self, op, x):
        if is_masked(x):
            raise unsupported(op, "masked arrays of complex numbers are not supported; fold x.data with where=~x.mask")
        if on_device(x):
            raise unsupported(op, "complex numbers on a device must be torch tensors; fold x.real and x.imag instead")
        x = self.numpy.asarray(x)
        return x if x.dtype.isnative else x.astype(x.dtype.newbyteorder("="))

    def planes(self, x):
        """A view with one more axis, of the two parts."""
        return self.numpy.lib.stride_tricks.as_strided(x.real, (*x.shape, 2), (*x.strides, x.dtype.itemsize // 2))

    def joined(self, re, im):
        re = self.numpy.asarray(re)
        both = self.numpy.empty(re.shape, self.numpy.result_type(re.dtype, self.numpy.complex64))
        both.real, both.imag = re, im
        return both[()]

    def without_axis(self, x):
        return x[..., 0][()]

    def is_nan(self, x):
        return self.numpy.isnan(x)

    def mask(self, op, where, x):
        bools(op, where)
        return as_ndarray(op, "where=", where)

    def truths(self, x):
        """Returns 1 for elements that are not 0, and NaN for NaN."""
        return self.numpy.where(self.is_nan(x), self.numpy.float32("nan"), x != 0)

    def turned(self, y, swaps, signs):
        """A copy of y's planes, which may be swapped, each times a sign."""
        made = self.numpy.empty(y.shape, y.dtype)
        parts = (y.imag, y.real) if swaps else (y.real, y.imag)
        for part, sign, to in zip(parts, signs, (made.real, made.imag)):
            # Not numpy.negative: NumPy 2.4.6 writes wrong numbers where x[::8] of f64 goes to out[::2].
            self.numpy.multiply(part, part.dtype.type(sign), out=to)
        return self.planes(made)

    def broadcast(self, axis, *arrays):
        return self.numpy.broadcast_arrays(*(self.numpy.moveaxis(a, axis, -1) for a in arrays))


class _OfTorch:
    """Real and imaginary parts of torch's complex tensors."""

    def __init__(self):
        self.torch = sys.modules["torch"]

    def array(self, op, x):
        if x.requires_grad:
            raise unsupported(op, "the tensor requires grad; fold x.detach(), or see onefold.torch")
        return x.resolve_conj().resolve_neg()

    def planes(self, x):
        return self.torch.view_as_real(x)

    def joined(self, re, im):
        return self.torch.complex(re, im)

    def without_axis(self, x):
        return x[..., 0]

    def is_nan(self, x):
        return self.torch.isnan(x)

    def mask(self, op, where, x):
        if isinstance(where, self.torch.Tensor):
            return where
        bools(op, where)
        return self.torch.asarray(as_ndarray(op, "where=", where), device=x.device)

    def truths(self, x):
        return (x != 0).float().masked_fill(self.is_nan(x), float("nan"))

    def turned(self, y, swaps, signs):
        p = self.planes(y)
        return (p.flip(-1) if swaps else p) * self.torch.tensor(signs, dtype=p.dtype, device=p.device)

    def broadcast(self, axis, *arrays):
        return self.torch.broadcast_tensors(*(self.torch.moveaxis(a, axis, -1) for a in arrays))


def _library_of(x, y):
    return _OfTorch() if library_of(x if is_complex(x) else y) == "torch" else _OfNumpy()


class _Request:
    """A request for a complex array, and the folds of its planes."""

    def __init__(self, request, run):
        self.op, self.run, self.given = request.called, run, request.kind
        self.library = library = _library_of(request.x, request.y)
        for name in _refused:
            given = getattr(request, name)
            if given is not None and (name == "fweights" or given):
                raise errors.make("bad_option", f"{self.op}: {name}= is not supported for complex numbers; leave it out, "
                                   "or fold x.real and x.imag")
        if is_complex(request.weights) or request.ops == "average" and is_complex(request.y):
            raise errors.make("type_mismatch", f"{self.op}: the weights are complex, but must be real")
        if not is_complex(request.x) and request.ops not in ("dot", "vecdot"):
            raise errors.make("type_mismatch", f"{self.op}: one array is complex, but the other is not; make both complex")
        y, where, weights = (value if value is None else request.kind.agreeing(self.op, name, request.x, value, request.axis)
                             for name, value in (("y", request.y), ("where=", request.where), ("weights=", request.weights)))
        self.x = library.array(self.op, request.x)
        self.y = library.array(self.op, y) if is_complex(y) else y
        self.where = where = None if where is None or where is True else library.mask(self.op, where, self.x)
        if request.nan == "omit":
            nan = library.is_nan(self.x)
            there = ~(nan if self.y is None else nan | library.is_nan(self.y))
            where = there if where is None else there & where
            request = request.replace(nan=None)
        self.request = request.replace(x=self.x, where=where, weights=weights, out=None)

    def fold(self, ops, x, y=None, **changes):
        try:
            return self.run(self.request.replace(ops=ops, x=x, y=y, kind=kind_of(x), **changes))[0]
        except errors.Error as error:
            raise errors.renamed(error, ops, self.op) from None

    def answer(self, op):
        """The answer to an op."""
        x, library = self.x, self.library
        if op in ("sum", "mean", "average"):
            result = self.part_type(self.request.result)
            return library.joined(self.fold(op, x.real, self.y, result=result), self.fold(op, x.imag, self.y, result=result))
        if op not in ("dot", "vecdot") and self.request.result is not None and complex_bytes(self.request.result):
            keyword = "dtype" if self.request.single else "result"
            raise errors.make("bad_option", f"{self.op}: {keyword}={errors.shown(self.request.result)} is complex, but {op} is real; "
                               "pass float64 or float32")
        if op in _spreads:
            return self.fold(_spreads[op], x.real, x.imag)
        if op in ("sumsq", "norm2"):
            return self.over_planes(op, library.planes(x))
        if op in ("dot", "vecdot"):
            return self.products(op == "vecdot")
        if op == "count":
            return self.fold(op, x.real)
        if op == "count_nan":
            return self.fold("count_nonzero", library.is_nan(x), where=self.where)
        if op in _truths:
            return self.fold(op, library.truths(x) if self.request.nan == "raise" else x != 0)
        raise unsupported(self.op, f"{op} of complex numbers: {_why_not.get(op, 'it is not defined here; sum, mean, var, std, norm2, dot are')}")

    def over_planes(self, op, x, y=None, **changes):
        """The answer of an op over the axes of the request, and over both planes."""
        axis, where = self.request.axis, self.request.where
        if axis is not None:
            axis = axis if isinstance(axis, (tuple, list)) else (axis,)
            axis = (*errors.axes_of(self.op, axis, x.shape[:-1]), len(x.shape) - 1)
        if where is not None:
            own, shape = tuple(where.shape), tuple(x.shape[:-1])
            if len(own) > len(shape) or any(n not in (1, m) for n, m in zip(reversed(own), reversed(shape))):
                raise errors.make("shape_mismatch", f"{self.op}: where= has shape {own}, which does not broadcast to {shape}")
            where = where[..., None]
        value = self.fold(op, x, y, axis=axis, where=where, **changes)
        return self.library.without_axis(value) if self.request.keepdims else value

    def products(self, conjugate):
        """The sum of the products of x, or of its conjugates, with y."""
        library = self.library
        x, y = _alike(self.op, library, self.x, self.y)
        result = self.part_type(self.request.result)
        re = library.planes(y) if conjugate else library.turned(y, False, (1, -1))
        im = library.turned(y, True, (1, -1) if conjugate else (1, 1))
        return library.joined(*(self.over_planes("dot", library.planes(x), part, result=result) for part in (re, im)))

    def part_type(self, result):
        return _part_type(self.op, result, self.given)


def _part_type(op, result, kind):
    """The type of each part for an answer of a complex type; kind: of the array that was given."""
    if result is None:
        return None
    size = complex_bytes(result)
    if size is None:
        raise errors.make("bad_option", f"{op}: dtype={errors.shown(result)} cannot hold an imaginary part; pass "
                           "complex64 or complex128, or reduce x.real")
    return kind.type_of(f"f{8 * size // 2}")


def complex_bytes(dtype):
    """Returns the size of a complex type in bytes, or None if dtype is not complex."""
    name = str(dtype).rpartition(".")[2]
    if dtype is complex or name in ("c16", "<c16") or "complex128" in name:
        return 16
    return 8 if name in ("c8", "<c8") or "complex64" in name else None


def _alike(op, library, x, y):
    """Two arrays in their common complex type, which holds all of both."""
    if y is None:
        raise errors.make("bad_option", f"{op}: dot takes two arrays, but one was given; pass x and y")
    x, y = widened(x), widened(y)
    if isinstance(library, _OfTorch):
        for a in (x, y):
            if not isinstance(a, library.torch.Tensor):
                raise unsupported(op, f"one array is a tensor of torch, and the other a {type_name(a)}; pass two tensors")
        common = library.torch.promote_types(x.dtype, y.dtype)
        for a in (x, y):
            whole = not (a.dtype.is_floating_point or a.dtype.is_complex or a.dtype is library.torch.bool)
            if whole and 4 * a.dtype.itemsize > common.itemsize:  # as many bits as a part has, so more than its fraction has
                raise errors.make("type_mismatch", f"{op}: the tensors are {x.dtype} and {y.dtype}, and {common} cannot hold all of "
                                   "these integers exactly; convert them")
        return x.to(common), y.to(common)
    from .numbers import is_exact

    numpy = library.numpy
    y, x = numpy.asarray(y), numpy.asarray(x)
    common = numpy.result_type(x, y)
    part = numpy.dtype(f"f{common.itemsize // 2}")
    for a in (x, y):
        if a.dtype.kind != "c" and (a.dtype.kind not in "biuf" or not is_exact(numpy, a, part)):
            raise errors.make("type_mismatch", f"{op}: the arrays are {x.dtype} and {y.dtype}, and {common} cannot hold all of "
                               f"these {a.dtype} values exactly; convert one of them")
    if op not in ("vecdot", "matmul", "tensordot", "addmm") and x.shape != y.shape:
        raise errors.make("shape_mismatch", f"{op}: the arrays have shapes {x.shape} and {y.shape}; they must be equal")
    return x.astype(common, copy=False), y.astype(common, copy=False)


def of_one_type(op, a, b, c):
    """Three arrays in their common complex type; one of them is complex."""
    library = _library_of(a, b if is_complex(b) else c)
    a, b, c = (library.array(op, x) if is_complex(x) else x for x in (a, b, c))
    for other in (next(x for x in (a, b, c) if is_complex(x)), b, c):
        a = _alike(op, library, a, other)[0]
    return a, _alike(op, library, a, b)[1], _alike(op, library, a, c)[1]


def columns(c, n):
    """A matrix of n columns, of which c may have one, with the two parts of each side by side, as product() has its y."""
    library = _library_of(c, c)
    c = (library.torch if isinstance(library, _OfTorch) else library.numpy).broadcast_to(c, (*c.shape[:-1], n))
    return library.planes(c).reshape((*c.shape[:-1], 2 * n))


def fold(request, run):
    """The answers to a request for complex arrays, as a list; run folds real ones."""
    if request.out is None and (is_masked(request.x) or is_masked(request.y)):
        return _of_masked(request, run)
    made = _Request(request, run)
    answers = [like(request.x, made.answer(op)) for op in request.ops.split(",")]
    return answers if request.out is None else [_written(request.called, request.out, answers[0])]


def _written(op, out, answer):
    numpy = sys.modules["numpy"]
    if not isinstance(out, numpy.ndarray) or out.dtype != answer.dtype:
        raise errors.make("type_mismatch", f"{op}: the answer is {answer.dtype}, and out must be an ndarray of that type")
    if out.shape != numpy.shape(answer):
        raise errors.make("shape_mismatch", f"{op}: the answer has shape {numpy.shape(answer)} and out has shape "
                           f"{out.shape}; they must be equal")
    if not out.flags.writeable:
        raise errors.make("bad_option", f"{op}: out is read-only; pass an array that can be written to")
    out[...] = answer
    return out


def _of_masked(request, run):
    """The answers of masked arrays, which are masked where no element is left."""
    numpy, both = sys.modules["numpy"], [a for a in (request.x, request.y) if is_masked(a)]
    there = numpy.logical_and.reduce([numpy.broadcast_to(~numpy.ma.getmaskarray(a), numpy.shape(request.x)) for a in both])
    where = there
    if request.where is not None and request.where is not True:
        bools(request.called, request.where)
        try:
            where = there & as_ndarray(request.called, "where=", request.where)
        except ValueError:
            raise errors.make("shape_mismatch", f"{request.called}: where= has shape {numpy.shape(request.where)}, which "
                                                 "does not "
                               f"broadcast to {there.shape}") from None
    absent = absent_from(there.shape, where, request)
    x, y = (a.data if is_masked(a) else a for a in (request.x, request.y))
    plain = request.replace(x=x, y=y, where=where, kind=kind_of(x), **({"keepdims": True} if absent.ndim else {}))
    return [without_freedom(op, masked(op, v, absent, request), there.shape, where, request)
            for op, v in zip(request.ops.split(","), fold(plain, run))]


def product(op, a, b, dtype, real):
    """The product of matrices a and b; real(x, y, dtype) is one of real matrices.

    A row of x is (re, im, re, im, ..) of a; its products with two columns of y are the two parts of an entry.
    """
    given, library = giver(a, b), _library_of(a, b)
    kind = kind_of(given)
    a, b = (library.array(op, m) if is_complex(m) else m for m in (a, b))
    a, b = _alike(op, library, a, b)
    x = library.planes(a).reshape((*a.shape[:-1], 2 * a.shape[-1]))
    columns = b if len(b.shape) > 1 else b[:, None]
    y = stacked([library.planes(columns), library.turned(columns, True, (-1, 1))], -3)
    y = y.reshape((*columns.shape[:-2], 2 * columns.shape[-2], 2 * columns.shape[-1]))
    answer = real(x, y, _part_type(op, dtype, kind))
    answer = answer.reshape((*answer.shape[:-1], answer.shape[-1] // 2, 2))
    answer = library.joined(answer[..., 0], answer[..., 1])
    return like(given, answer if len(b.shape) > 1 else library.without_axis(answer))


def vecdot(request, run, axis):
    """The sums of conj(x) y along an axis, of arrays that broadcast."""
    made = _Request(request.replace(axis=-1), run)
    made.x, made.y = made.library.broadcast(axis, *_alike("vecdot", made.library, made.x, made.y))
    return like(giver(request.x, request.y), made.answer("vecdot"))


def rows(request, run, by_keys=False):
    """The answers of segments, windows or groups, as a list.

    run   run(request, each) folds real arrays; each: how many rows of these each row of x has
    """
    made = _Request(request, lambda one: run(one, 1))
    return [like(request.x, _of_rows(made, op, run, by_keys)) for op in request.ops.split(",")]


def _of_rows(made, op, run, by_keys):
    if op not in ("sumsq", "norm2", "dot"):
        return made.answer(op)
    if isinstance(made.library, _OfTorch):
        raise unsupported(made.op, f"{op} of rows of complex tensors is not supported; fold x.numpy()")
    numpy, request, (x, y) = made.library.numpy, made.request, (made.x, made.y)
    if op == "dot":
        x, y = _alike(made.op, made.library, x, y)
    x = made.library.planes(x)

    def doubled(p):
        return numpy.moveaxis(p, -1, 1).reshape(2 * p.shape[0], *p.shape[1:-1])

    where = request.where
    if where is not None:  # of groups it may be one for each row
        where = numpy.repeat(where if by_keys and where.ndim == 1 else numpy.broadcast_to(where, made.x.shape), 2, axis=0)

    def fold(op, x, y, result):
        one = request.replace(ops=op, x=doubled(x), y=None if y is None else doubled(y), where=where, result=result)
        return run(one.replace(kind=kind_of(one.x)), 2)[0]

    if op != "dot":
        return fold(op, x, None, request.result)
    result = made.part_type(request.result)
    return made.library.joined(*(fold("dot", x, made.library.turned(y, swap, signs), result)
                              for swap, signs in ((False, (1, -1)), (True, (1, 1)))))
