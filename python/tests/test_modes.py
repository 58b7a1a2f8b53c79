"""Answers in threads whose floating-point mode is not the usual one: such a thread takes subnormals for 0, or rounds up.

JAX runs callbacks in threads of the first kind; a library that was compiled with -ffast-math makes the caller's thread one.
"""

import contextlib
import ctypes
import platform

import numpy as np
import pytest

import onefold

if platform.machine() != "x86_64":
    pytest.skip("sets the mode of x86-64", allow_module_level=True)

LIBM = ctypes.CDLL("libm.so.6")
MODES = {"subnormals are 0": 0x8040, "up": 0x4000, "to zero": 0x6000}
RANDOM = np.random.default_rng(5)


@contextlib.contextmanager
def mode(bits):
    usual, changed = (ctypes.c_uint32 * 8)(), (ctypes.c_uint32 * 8)()
    LIBM.fegetenv(usual)
    changed[:] = usual[:]
    changed[7] |= bits  # MXCSR in glibc's fenv_t
    LIBM.fesetenv(changed)
    try:
        yield
        after = (ctypes.c_uint32 * 8)()
        LIBM.fegetenv(after)
        assert after[7] & ~0x3f == changed[7] & ~0x3f, "the caller's mode is changed"
    finally:
        LIBM.fesetenv(usual)


def arrays(dtype, scale):
    """Arrays, made before the mode is set: NumPy's arithmetic depends on it."""
    x = (RANDOM.standard_normal((40, 50)) * scale).astype(dtype)
    y = RANDOM.standard_normal((40, 50)).astype(dtype)
    return {"x": x, "y": y, "far": (y * 40).astype(dtype), "w": np.abs(y), "k": RANDOM.integers(0, 7, 40),
            "z": (x + 1j * y) if dtype != "f2" else (y + 1j * y)}


CALLS = {
    "sum": lambda x, **_: onefold.fold("sum,mean,var,std,norm1,norm2,rms,sumsq", x),
    "axis": lambda x, **_: onefold.fold("sum,mean,var,std,skewness,kurtosis,sem", x, axis=0),
    "pairs": lambda x, y, **_: onefold.fold("dot,cov,corr,slope,mse", x, y, axis=1),
    "average": lambda x, w, **_: onefold.average(x, axis=0, weights=w),
    "fold_by": lambda x, k, **_: onefold.fold_by("sum,mean,var", k, x[:, 0]),
    "texts": lambda x, k, **_: onefold.fold_by("mean", list(map(str, k)), x[:, 0]),
    "segments": lambda x, **_: onefold.fold_segments("sum,var", x.ravel(), np.array([0, 5, 500, 2000])),
    "state": lambda x, **_: onefold.gather("mean,var", x).answer("var"),
    "complex": lambda z, **_: onefold.fold("sum,mean,var", z),
    "expression": lambda x, y, **_: onefold.sum(onefold.expr("x * w - 1"), x=x, w=y),
    "logsumexp": lambda x, **_: onefold.logsumexp(x, axis=1), "logmeanexp": lambda far, **_: onefold.logmeanexp(far, axis=0),
    "softmax": lambda far, **_: onefold.softmax(far, axis=1), "log_softmax": lambda far, **_: onefold.log_softmax(far, axis=1),
    "rms_norm": lambda x, **_: onefold.rms_norm(x), "layer_norm": lambda x, **_: onefold.layer_norm(x),
    "layer_norm of tiny": lambda x, **_: onefold.layer_norm(x, eps=0),
    "quantile": lambda x, **_: onefold.quantile(x, [.1, .33, .9], axis=1), "median": lambda x, **_: onefold.median(x),
    "weighted quantile": lambda x, w, **_: onefold.quantile(x[0], .3, weights=w[0], method="inverted_cdf"),
    "trimmed_mean": lambda x, **_: onefold.trimmed_mean(x, .1), "median by": lambda x, k, **_: onefold.median(x[:, 0], by=k),
    "histogram": lambda x, **_: onefold.histogram(x, bins=10)[0],
    "rolling": lambda x, **_: onefold.rolling(x, 5).fold("sum,mean,var,std,min"), "cumsum": lambda x, **_: onefold.cumsum(x, axis=0),
    "rolling corr": lambda x, y, **_: onefold.rolling(x, 5).corr(y), "rolling median": lambda x, **_: onefold.rolling(x[0], 5).median(),
    "matmul": lambda x, y, **_: onefold.matmul(x, y.T), "cov_matrix": lambda x, **_: onefold.cov_matrix(x[:, :5]),
    "linear_fit": lambda x, y, **_: onefold.linear_fit(x[:, :3], y[:, 0])}


def bits(answer):
    if isinstance(answer, (tuple, list)):
        return b"|".join(map(bits, answer))
    if answer is None or isinstance(answer, dict):
        return repr(answer).encode()
    answer = np.asarray(answer)
    return repr(answer.tolist()).encode() if answer.dtype == object else answer.tobytes()


@pytest.mark.parametrize("scale", [1.0, "least", "root"])
@pytest.mark.parametrize("dtype", ["f2", "f4", "f8"])
@pytest.mark.parametrize("call", CALLS)
def test_the_mode_of_a_thread_changes_no_answer(call, dtype, scale):
    least = float(np.finfo(dtype).tiny)
    given = arrays(dtype, {"least": least, "root": least**0.5}.get(scale, scale))
    want = bits(CALLS[call](**given))
    for name, changed in MODES.items():
        with mode(changed):
            got = CALLS[call](**given)
        assert bits(got) == want, name
