"""Arrays of CuPy, JAX and torch on a CUDA device: every function, with the CPU's bits.

Skipped, with the reason, where torch or a device is missing; CuPy and JAX are tested where they are.
"""

import numpy as np
import pytest

import onefold

torch = pytest.importorskip("torch", reason="torch is not installed")
if not torch.cuda.is_available():
    pytest.skip("no CUDA device", allow_module_level=True)


def test_cupy():
    cupy = pytest.importorskip("cupy")
    x = cupy.asarray(np.random.default_rng(2).normal(size=99_991))
    for op in ["sum", "var", "argmax", "count_nonzero"]:
        ours = getattr(onefold, op)(x)
        assert isinstance(ours, cupy.ndarray)
        assert ours.get() == getattr(onefold, op)(x.get())
    with cupy.cuda.Stream(non_blocking=True):
        assert onefold.sum(x).get() == onefold.sum(x.get())


def test_jax():
    jax = pytest.importorskip("jax")
    x = jax.numpy.asarray(np.random.default_rng(2).normal(size=99_991).astype("f4"))
    for op in ["sum", "var", "argmax"]:
        ours = getattr(onefold, op)(x)
        assert isinstance(ours, jax.Array)
        assert np.asarray(ours) == getattr(onefold, op)(np.asarray(x))


@pytest.mark.parametrize("name", ["float8_e4m3fn", "float8_e4m3fnuz", "float8_e5m2", "float8_e5m2fnuz", "float8_e8m0fnu"])
def test_small_floats_are_folded_as_float32(name):
    every = torch.arange(256, dtype=torch.int32).to(torch.uint8).view(getattr(torch, name))
    assert torch.equal(every.cuda().float().cpu().nan_to_num(7), every.float().nan_to_num(7))
    for part in (every[:64], every[64:112]):  # the second call may have a kept plan
        x = part.reshape(-1, 8).cuda()
        for call in (onefold.sum, lambda x: onefold.mean(x, axis=0), lambda x: onefold.fold("sum,max", x, axis=1).max,
                     lambda x: onefold.vecdot(x, x), lambda x: onefold.mse(x, x.float() + 1)):
            assert call(x).is_cuda and torch.equal(call(x), call(x.float()))


def flat(answer):
    """Copies the arrays of an answer to the host."""
    if isinstance(answer, (tuple, list)):
        return [a for part in answer for a in flat(part)]
    for onto_the_host in ("cpu", "get"):  # torch's method, CuPy's method
        if hasattr(answer, onto_the_host):
            answer = getattr(answer, onto_the_host)()
    return [np.asarray(answer)]


def answers_of_every_function(put):
    rng = np.random.default_rng(3)
    host, other = rng.normal(size=(2, 120, 40)).astype("f4")
    x, y, w, where, line = (put(a) for a in (host, other, abs(other), host > 0, host[:, 0].copy()))
    offsets, labels = np.array([0, 7, 7, 120], "i4"), np.arange(120, dtype="i4") % 5
    yield "sum of a whole array under a mask", onefold.sum(x, where=where)
    yield "mean, keepdims", onefold.mean(x, axis=0, keepdims=True)
    yield "argmax", onefold.argmax(x, axis=1)
    yield "several", onefold.fold("mean,var,max", x, axis=0, where=where)
    yield "vecdot", onefold.vecdot(x, y)
    yield "vecdot that broadcasts", onefold.vecdot(x, y[3])
    yield "pairs", onefold.fold("mse,corr,cosine", x, y, axis=1)
    yield "pairs under a mask", onefold.fold("cov,slope", x, y, axis=0, where=where)
    yield "weights", onefold.average(x, axis=1, weights=w)
    yield "weights of others", onefold.var(x, axis=1, weights=w)
    yield "weights of pairs", onefold.fold("corr,mse", x, y, axis=0, weights=w)
    yield "counts", onefold.fold("sum,var,max", x, axis=0, fweights=put((abs(host) * 4).astype("i4")))
    yield "segments", onefold.fold_segments("sum,norm2", line, put(offsets))
    yield "labels", onefold.fold_by("sum,mean", put(labels), line, groups=5)
    yield "keys", onefold.fold_by("max,var", put(labels * 3 - 7), line)


@pytest.mark.parametrize("name", ["cupy", "jax.numpy", "torch"])
def test_every_function_takes_the_arrays_of(name):
    module = pytest.importorskip(name)
    put = (lambda a: torch.from_numpy(a).cuda()) if name == "torch" else module.asarray
    ours = answers_of_every_function(put)
    for (what, there), (_, here) in zip(ours, answers_of_every_function(lambda a: a), strict=True):
        for a, b in zip(flat(there), flat(here), strict=True):
            assert np.array_equal(a, b), what
