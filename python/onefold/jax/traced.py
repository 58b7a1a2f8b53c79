"""The ops in functions that JAX traces: under jit, vmap, jvp and grad.

A traced array has no memory: the compiled function calls the library with its elements, for answers of a shape and a type that are
known while it is traced. Arrays on the host that are not traced are folded at once.
"""

import functools
import json
import math

import jax
import jax.numpy as jnp
import numpy

import onefold

from .. import _ops, errors
from ..operands.found import on_device
from . import ffi


def _traced(*arrays):
    return any(isinstance(a, jax.core.Tracer) for a in arrays)


def _small(x):
    """One element of x's type and axes, to learn what a call says of its arguments, and the type of its answer."""
    return numpy.ones((1,) * x.ndim, x.dtype)


def _run(asked, arrays):
    """The answer of the call that a program asks for, of arrays that have memory."""
    name, keywords = asked["name"], dict(asked["keywords"])
    if "axis" in keywords:
        keywords["axis"] = tuple(keywords["axis"])
    if asked["masked"]:
        *arrays, keywords["where"] = arrays
    if name in _ops.ops:
        value = numpy.asarray(onefold.fold(name, *arrays, **keywords)[0])
    else:
        value = numpy.asarray(getattr(onefold, name)(*arrays, **keywords))
    kept = asked.get("integers")
    if kept:
        info = numpy.iinfo(kept)
        if value.size and (value.min() < info.min or value.max() > info.max):
            raise errors.make("overflow", f"{name}: the exact value does not fit JAX's {kept}; set jax_enable_x64")
    return value


ffi.register("onefold", _run)


def _refuse_within(name, kind):
    """Refuses arrays that a program cannot hand over."""
    within = getattr(getattr(kind, "manual_axis_type", None), "varying", None) or getattr(kind, "vma", None)
    if within:  # or the answer of one shard would pass for that of all
        raise errors.make("unsupported", f"{name}: jax.shard_map checks mesh axes, which XLA custom calls do not have; pass "
                                          "check_vma=False")
    if kind.dtype.name not in ffi.names:
        raise errors.make("unsupported", f"{name}: arrays of {kind.dtype} are not supported in functions that JAX traces; convert them")


def _called(name, keywords, shape, arrays, where=None):
    """The answer of a call: at once, or, if an array is traced or on a device, by a program of XLA."""
    given = arrays if where is None else [*arrays, where]
    asked = {"name": name, "keywords": keywords, "masked": where is not None}
    if not _traced(*given) and not on_device(given[0]):
        keywords = keywords if where is None else {**keywords, "where": where}
        return onefold.fold(name, *arrays, **keywords)[0] if name in _ops.ops else getattr(onefold, name)(*arrays, **keywords)
    for a in given:
        _refuse_within(name, jax.typeof(a))
    natural = _run(asked, [_small(a) for a in given]).dtype
    kept = jax.dtypes.canonicalize_dtype(natural)
    if kept != natural:  # JAX has no types of 64 bits without jax_enable_x64
        if natural.kind == "f":
            asked["keywords"] = {**keywords, "result": kept.name}  # rounded once
        else:
            asked["integers"] = kept.name
    call = jax.ffi.ffi_call("onefold", jax.ShapeDtypeStruct(shape, kept), vmap_method="broadcast_all")
    return call(*given, asked=json.dumps(asked))


def _axes(name, shape, axis):
    """Axes counted from the last one, so that vmap may put others in front."""
    axis = range(len(shape)) if axis is None else axis if isinstance(axis, (tuple, list)) else [axis]
    return tuple(a - len(shape) for a in errors.axes_of(name, axis, shape))


def _shape(x, axes, keepdims):
    return tuple(1 if d - x.ndim in axes else n for d, n in enumerate(x.shape) if keepdims or d - x.ndim not in axes)


@functools.partial(jax.custom_jvp, nondiff_argnums=(0, 1, 2, 3))
def _fold(name, axes, keepdims, options, *arrays):
    """An op along axes; the last array is the mask, or None."""
    *arrays, where = arrays
    keywords = {"axis": axes, "keepdims": keepdims, **dict(options)}
    return _called(name, keywords, _shape(arrays[0], axes, keepdims), arrays, where)


class _Slices:
    """What a derivative needs to know of a request: arrays of float32 or wider, 0 where they do not count."""

    def __init__(self, arrays, where, axes, keepdims, options):
        arrays = [_wide(a if where is None else jnp.where(where, a, 0)) for a in arrays]
        self.x, self.y = arrays[0], arrays[-1]
        self.where, self.axes, self.keepdims, self.options = where, axes, keepdims, dict(options)

    def sum(self, t):
        return jnp.sum(t, self.axes, keepdims=self.keepdims, where=self.where)

    def op(self, name, x):
        return _fold(name, self.axes, True, (("nan", "propagate"),), x, self.where)

    @property
    def n(self):
        if self.where is None:
            return max(math.prod(self.x.shape[a] for a in self.axes), 1)
        return jnp.maximum(jnp.sum(self.where, self.axes, keepdims=self.keepdims), 1)


def _of_var(s, t):
    n = s.n - (s.options.get("ddof") or 0)
    return s.sum((jnp.conj(s.x - s.op("mean", s.x)) * t).real) * jnp.where(n > 0, 2 / n, jnp.nan)


def _of_norm2(s, t):
    y = s.op("norm2", s.x)
    # At zero there is no derivative; 0 is given, as by onefold.torch.
    return s.sum((jnp.where(y == 0, 0, jnp.conj(s.x) / y) * t).real)


# For each op the change of the answers, from those of its arrays.
_derivatives = {
    "sum": lambda s, t: s.sum(t),
    "mean": lambda s, t: s.sum(t) / s.n,
    "var": _of_var,
    "norm2": _of_norm2,
    "mse": lambda s, t, u: s.sum((s.x - s.y) * (t - u)) * (2 / s.n),
    "dot": lambda s, t, u: s.sum(s.y * jnp.conj(t) + jnp.conj(s.x) * u)}


def _wide(x):
    return x.astype("float32") if x.dtype.itemsize < 4 and not jnp.issubdtype(x.dtype, jnp.integer) else x


def _changes(arrays, tangents):
    """Tangents of the arrays; integers have none."""
    return [jnp.zeros(a.shape) if t.dtype == jax.dtypes.float0 else _wide(t) for a, t in zip(arrays, tangents)]


@_fold.defjvp
def _(name, axes, keepdims, options, arrays, tangents):
    *arrays, where = arrays
    answers = _fold(name, axes, keepdims, options, *arrays, where)
    if name not in _derivatives or dict(options)["nan"] != "propagate":
        has = f"{name} with nan={dict(options)['nan']!r}" if name in _derivatives else name
        raise errors.make("unsupported", f"{has} has no derivative; pass jax.lax.stop_gradient(x)")
    slices = _Slices(arrays, where, axes, keepdims, options)
    return answers, _derivatives[name](slices, *_changes(arrays, tangents)).astype(answers.dtype)


def _op(row):
    name = row.name

    def call(x, *y, axis=None, keepdims=False, ddof=None, nan="propagate", where=None):
        if len(y) != row.inputs - 1:
            raise errors.make("bad_option", f"{name}: takes {row.inputs} array{'s' * (row.inputs > 1)}, not {len(y) + 1}")
        x, *y = map(jnp.asarray, (x, *y))
        shape = jnp.broadcast_shapes(*(a.shape for a in (x, *y)))
        arrays = [jnp.broadcast_to(a, shape) for a in (x, *y)]
        where = None if where is None else jnp.broadcast_to(jnp.asarray(where), shape)
        ddof = ddof.item() if hasattr(ddof, "item") else ddof
        options = (("nan", nan), *((("ddof", ddof),) if row.uses_ddof and ddof is not None else ()))
        return _fold(name, _axes(name, shape, axis), bool(keepdims), options, *arrays, where)

    call.__name__ = call.__qualname__ = name
    call.__doc__ = f"{row.idea} along axes, exact, also in functions that JAX traces."
    return call


operators = {name: _op(row) for name, row in _ops.ops.items()}


@functools.partial(jax.custom_jvp, nondiff_argnums=(0, 1, 2))
def _row(name, axes, keepdims, x):
    """A function of slices of x: logsumexp, or one with an answer for each element."""
    reduces = name == "logsumexp"
    keywords = {"axis": axes, **({"keepdims": keepdims} if reduces else {})}
    return _called(name, keywords, _shape(x, axes, keepdims) if reduces else x.shape, [x])


@_row.defjvp
def _(name, axes, keepdims, arrays, tangents):
    x, t = arrays[0], tangents[0]
    p = _row("softmax", axes, True, x)
    along = functools.partial(jnp.sum, axis=axes, keepdims=keepdims)
    change = {"logsumexp": lambda: along(p * t), "softmax": lambda: p * (t - along(p * t)), "log_softmax": lambda: t - along(p * t)}
    return _row(name, axes, keepdims, x), change[name]()


def _of_rows(name, x, axis, keepdims):
    x = jnp.asarray(x)
    if not jnp.issubdtype(x.dtype, jnp.floating):
        raise errors.make("unsupported", f"{name}: elements are {x.dtype}; pass floats")
    return _row(name, _axes(name, x.shape, axis), keepdims, x)


def logsumexp(x, axis=None, keepdims=False):
    """ln(sum of e^x) along axes, rounded once, also in functions that JAX traces."""
    return _of_rows("logsumexp", x, axis, bool(keepdims))


def softmax(x, axis=-1):
    """e^x / sum(e^x) along axes, every element rounded once, also in functions that JAX traces."""
    return _of_rows("softmax", x, axis, True)


def log_softmax(x, axis=-1):
    """x - ln(sum of e^x) along axes, every element rounded once, also in functions that JAX traces."""
    return _of_rows("log_softmax", x, axis, True)


@jax.custom_vjp
def _product(a, b):
    """a @ b of as many axes."""
    return _called("matmul", {}, jax.eval_shape(jnp.matmul, a, b).shape, [a, b])


def _product_over(x, y, shape):
    """x @ y, summed over the leading axes along which an operand of this shape was repeated: one exact product."""
    batch = jnp.broadcast_shapes(x.shape[:-2], y.shape[:-2])
    repeated = tuple(d - len(shape) for d, n in enumerate(batch) if shape[d] != n)
    x, y = (jnp.broadcast_to(m, batch + m.shape[-2:]) for m in (x, y))
    x = jnp.moveaxis(x, repeated, range(-1 - len(repeated), -1))
    y = jnp.moveaxis(y, repeated, range(-2 - len(repeated), -2))
    rest = x.shape[:len(batch) - len(repeated)]
    inner = math.prod(x.shape[len(rest) + 1:])
    return _product(x.reshape(*rest, shape[-2], inner), y.reshape(*rest, inner, shape[-1])).reshape(shape)


def _product_backward(arrays, grad):
    a, b = (m.astype(grad.dtype) for m in arrays)
    of_a, of_b = _product_over(grad, b.mT, a.shape), _product_over(a.mT, grad, b.shape)
    return of_a.astype(arrays[0].dtype), of_b.astype(arrays[1].dtype)


_product.defvjp(lambda a, b: (_product(a, b), (a, b)), _product_backward)


def matmul(a, b):
    """a @ b with every entry rounded once, also in functions that JAX traces; gradients are exact products."""
    a, b = jnp.asarray(a), jnp.asarray(b)
    common = jnp.promote_types(a.dtype, b.dtype)
    shape = jax.eval_shape(jnp.matmul, a, b).shape  # or what is wrong with theirs
    a, b = (a[None] if a.ndim == 1 else a).astype(common), (b[:, None] if b.ndim == 1 else b).astype(common)
    most = max(a.ndim, b.ndim)
    a, b = (m.reshape((1,) * (most - m.ndim) + m.shape) for m in (a, b))
    return _product(a, b).reshape(shape)


def _sum_of(alpha, beta):
    from ..linalg.addmm import _Sum

    class Sum(_Sum):
        """Of traced arrays, at whose elements no call can look."""

        def __init__(self, x):
            super().__init__(x, alpha, beta, None, None)
            self.captured = True

        def product(self, a, b):
            if self.dtype is not None:
                raise errors.make("unsupported", f"addmm: beta={beta} does not fit the traced arrays' type; multiply "
                                   "c by it, and pass beta=1")
            return matmul(a, b)

    return Sum


def addmm(c, a, b, *, alpha=1, beta=1):
    """beta c + alpha a @ b, rounded once, also in functions that JAX traces; c broadcasts. alpha: 1, of floats also -1 or 0."""
    from ..linalg.addmm import _matrices, _number

    c, a, b = map(jnp.asarray, (c, a, b))
    alpha, beta = _number("alpha", alpha), _number("beta", beta)
    common = jnp.promote_types(jnp.promote_types(a.dtype, b.dtype), c.dtype)
    a, b, c, strip = _matrices(*(m.astype(common) for m in (a, b, c)))
    if alpha not in ((1, -1, 0) if jnp.issubdtype(common, jnp.floating) else (1,)):
        raise errors.make("unsupported", f"addmm: alpha={alpha}: within jax.jit alpha must be 1, or with floats 0 or -1")
    return _sum_of(alpha, beta)(a).of(c, a, b)[strip]
