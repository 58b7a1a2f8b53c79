"""Random requests of tensors on a CUDA device: the CPU's answers, or its kind of error."""

import numpy as np
import pytest

import onefold
from cuda_tensors import NAMES, torch

OPS = [row[0] for row in onefold._core.op_table() if row[2] == 1]


def _outcome(call):
    """The answers of a call on the CPU, or the class of its error."""
    try:
        return [a.cpu() if isinstance(a, torch.Tensor) else torch.as_tensor(a) for a in call()]
    except onefold.Error as e:
        return type(e)


def _request(r):
    """A random call, as a function of where the tensors go."""
    shape = [(1, 31), (31, 1), (17, 1025), (700,), (3, 5, 60), (40, 33), (1, 1), (2000, 3)][r.integers(8)]
    name, other = r.choice(NAMES, 2)
    x = torch.from_numpy(r.normal(0, 20, shape)).abs().to(getattr(torch, name))
    y = torch.from_numpy(r.normal(0, 20, shape)).abs().to(getattr(torch, other))
    n, rank = shape[0], len(shape)
    kind = ["one", "pair", "weights", "fweights", "segments", "keys"][r.integers(6)]
    axis = [None, 0, rank - 1][r.integers(3)]
    beside = {}
    if kind in ("weights", "fweights", "segments"):
        of = shape if r.integers(2) else (n,)
        counts = torch.from_numpy(r.integers(-1 if r.integers(3) == 0 else 0, 5, of))
        # Beside 64-bit integers the values decide, which a device does not read.
        if (kind == "weights" or kind == "segments" and r.integers(2)) and name != "int64":
            beside["weights"] = counts.abs().to(x.dtype if x.is_floating_point() else torch.float64)
        else:
            beside["fweights"] = counts.to([torch.int64, torch.int8, torch.int32][r.integers(3)])
        if of != shape:
            axis = 0
    if kind in ("one", "pair", "weights") and r.integers(3) == 0:
        beside["where"] = torch.from_numpy(r.integers(0, 2, shape).astype(bool))
    ops = [op for op in OPS if kind != "keys" or "arg" not in op]  # groups of arrays have no index
    one = "mean,var" if "weights" in beside else ",".join(r.choice(ops, 2, replace=False))
    pairs = ",".join(r.choice(["dot", "mse", "corr", "cov", "slope", "cosine"], 2, replace=False))
    cuts = torch.tensor(sorted([0, *r.integers(0, n + 1, 3), n]))
    keys = torch.from_numpy(r.integers(0, 4, n))

    def call(put):
        rest = {key: put(value) for key, value in beside.items()}
        if kind == "segments":
            return onefold.fold_segments(one, put(x), put(cuts), **rest)
        if kind == "keys":
            found, answers = onefold.fold_by(one, keys=put(keys), x=put(x.reshape(n, -1)[:, 0].contiguous()))
            return [found, *answers]
        arrays = (x, y) if kind == "pair" else (x,)
        return onefold.fold(pairs if kind == "pair" else one, *map(put, arrays), axis=axis, **rest)
    return call, (kind, one, pairs, shape, name, other, axis, {k: v.dtype for k, v in beside.items()})


@pytest.mark.parametrize("seed", range(24))
def test_requests_of_any_kind_have_the_outcome_of_the_cpu(seed):
    r = np.random.default_rng(seed)
    for _ in range(6):
        call, what = _request(r)
        ours, cpu = _outcome(lambda: call(lambda t: t.cuda())), _outcome(lambda: call(lambda t: t))
        assert isinstance(ours, list) == isinstance(cpu, list), (what, ours, cpu)
        for a, b in zip(ours, cpu) if isinstance(ours, list) else ():
            assert a.shape == b.shape and torch.equal(a.double().nan_to_num(7e7), b.double().nan_to_num(7e7)), what


def _spoilt(r, x):
    """x with NaN of both signs, if it is of floats."""
    if not x.is_floating_point():
        return x
    nan = torch.full_like(x, float("nan"))
    signs = torch.from_numpy(r.integers(0, 2, tuple(x.shape)) * 2 - 1).to(x.dtype)
    return torch.where(torch.from_numpy(r.random(tuple(x.shape)) < [0, .01, .3][r.integers(3)]), torch.copysign(nan, signs), x)


@pytest.mark.parametrize("seed", range(24))
def test_statistics_of_order_take_nan_of_either_sign_for_one_value(seed):
    r = np.random.default_rng([7, seed])
    for _ in range(6):
        shape = [(700,), (40, 33), (3, 5, 60), (2000, 3), (1, 31)][r.integers(5)]
        name = ["float64", "float32", "float16", "bfloat16", "int32", "bool"][r.integers(6)]
        x = _spoilt(r, torch.from_numpy(r.normal(0, 20, shape).round()).to(getattr(torch, name)))
        op = ["nunique", "mode", "trimmed_mean", "winsorized_mean", "median", "argmax", "min", "count_nan"][r.integers(8)]
        more = (.2,) if op in ("trimmed_mean", "winsorized_mean") else ()
        keywords = {"axis": [None, 0, len(shape) - 1][r.integers(3)], "nan": ["propagate", "omit"][r.integers(2)]}
        mask = torch.from_numpy(r.integers(0, 2, shape).astype(bool)) if r.integers(3) == 0 else None

        def call(put):
            beside = {} if mask is None else {"where": put(mask)}
            return [getattr(onefold, op)(put(x), *more, **keywords, **beside)]

        ours, cpu = _outcome(lambda: call(lambda t: t.cuda())), _outcome(lambda: call(lambda t: t))
        what = (op, shape, name, keywords, mask is not None, ours, cpu)
        assert isinstance(ours, list) == isinstance(cpu, list), what
        for a, b in zip(ours, cpu) if isinstance(ours, list) else ():
            assert a.shape == b.shape and torch.equal(a.double().nan_to_num(7e7), b.double().nan_to_num(7e7)), what
    few = torch.tensor([0x7fc00000, -0x400000, 0x3f800000], dtype=torch.int32).view(torch.float32)  # NaN, -NaN, 1
    assert int(onefold.nunique(few.cuda())) == int(onefold.nunique(few)) == 2
