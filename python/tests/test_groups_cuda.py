"""Segments and groups of tensors on a CUDA device: the CPU's bits."""

import numpy as np
import pytest

import onefold
from cuda_tensors import NAMES, same, tensor, torch


@pytest.mark.parametrize("name", ["float64", "float32", "bfloat16", "int32"])
def test_segments_have_the_bits_of_the_cpu(name):
    x = tensor(name, 3000)
    for array in (x, x.reshape(500, 6), x.reshape(6, 500).T):
        offsets = torch.tensor([0, 3, 3, 250, 499, len(array)], dtype=torch.int64)
        for ops in ("sum,mean,count", "var"):
            for ours, cpu in zip(onefold.fold_segments(ops, array, offsets.cuda()),
                                 onefold.fold_segments(ops, array.cpu(), offsets)):
                same(ours, cpu, ops)
        other = torch.flip(array, [0]) * 2
        same(onefold.fold_segments("mse", array, offsets.cuda(), y=other).mse,
             onefold.fold_segments("mse", array.cpu(), offsets, y=other.cpu()).mse, "mse")
        weights = torch.ones(len(array), dtype=array.dtype, device="cuda")
        same(onefold.fold_segments("average", array, offsets.cuda(), weights=weights).average,
             onefold.fold_segments("average", array.cpu(), offsets, weights=weights.cpu()).average, "average")
        for ops, y in ("var,mean", None), ("mse,corr", other):
            beside = {} if y is None else {"y": y.cpu()}
            for a, b in zip(onefold.fold_segments(ops, array, offsets.cuda(), y=y, weights=weights * 3),
                            onefold.fold_segments(ops, array.cpu(), offsets, weights=weights.cpu() * 3, **beside)):
                same(a, b, ops)
        counts = torch.arange(len(array), device="cuda") % 4
        for a, b in zip(onefold.fold_segments("sum,var,count", array, offsets.cuda(), fweights=counts),
                        onefold.fold_segments("sum,var,count", array.cpu(), offsets, fweights=counts.cpu())):
            same(a, b, "counts")
    wrong = torch.tensor([0, 9, 4], device="cuda")
    assert onefold.fold_segments("sum", x, wrong, errors="defer").sum[1].tolist() == [0, 4]
    status = onefold.fold_segments("var", x, wrong, weights=x, errors="defer").var[1]
    assert status.tolist() == [0, 4]
    with pytest.raises(onefold.OptionError, match="offsets of segment 1 decrease"):
        onefold.fold_segments("sum", x, wrong)


def test_one_segment_may_be_much_longer_than_others():
    x, w, counts = (torch.randn(3_000_000, device="cuda"), torch.rand(3_000_000, device="cuda"),
                    torch.randint(0, 9, (3_000_000,), device="cuda"))
    offsets = torch.cat([torch.arange(1001), torch.tensor([3_000_000])])
    for beside in {"weights": w}, {"fweights": counts}:
        here = {name: array.cpu() for name, array in beside.items()}
        same(onefold.fold_segments("var", x, offsets.cuda(), **beside).var,
             onefold.fold_segments("var", x.cpu(), offsets, **here).var, beside.keys())


def test_segments_are_queued_and_captured():
    x, offsets = torch.ones(1 << 16, device="cuda"), torch.tensor([0, 100, 1 << 16], device="cuda")
    onefold.fold_segments("sum", x, offsets, errors="defer")
    graph = torch.cuda.CUDAGraph()
    torch.cuda.synchronize()
    with torch.cuda.graph(graph):
        total, status = onefold.fold_segments("sum", x, offsets, errors="defer").sum
    x.fill_(3)
    graph.replay()
    torch.cuda.synchronize()
    assert total.tolist() == [300, 3 * ((1 << 16) - 100)] and not status.any()


def test_keys_of_any_integers():
    x = tensor("float32")
    keys = (torch.arange(len(x), device="cuda") * 7919) % 1000 - 500
    names, sums = onefold.fold_by("sum,mean,max", keys, x)
    wanted, cpu = onefold.fold_by("sum,mean,max", keys.cpu(), x.cpu())
    same(names, wanted)
    for ours, theirs in zip(sums, cpu):
        same(ours, theirs)


@pytest.mark.parametrize("name", [
    "bool", "int8", "uint8", "int16", "int32", "int64", "float16", "bfloat16", "float32", "float64"])
def test_keys_of_every_type(name):
    x = tensor("float32")
    keys = ((torch.arange(len(x), device="cuda") * 7919) % 100 - 50).to(getattr(torch, name))
    if keys.is_floating_point():
        keys[::7], keys[1::9] = torch.nan, -0.
    host = keys.float().cpu().numpy() if keys.is_floating_point() else keys.cpu().numpy()
    for null_keys in ("keep", "drop"):
        names, (sums,) = onefold.fold_by("sum", keys=keys, x=x, null_keys=null_keys)
        wanted, (cpu,) = onefold.fold_by("sum", keys=host, x=x.cpu().numpy(), null_keys=null_keys)
        assert names.dtype == keys.dtype
        assert np.array_equal(names.float().cpu().numpy(), wanted.astype("f4"), equal_nan=True)
        assert np.array_equal(sums.cpu().numpy(), cpu)


@pytest.mark.parametrize("name", NAMES)
def test_labels_have_the_bits_of_the_cpu(name):
    x = tensor(name)
    for groups, labels in ((7, torch.arange(len(x), dtype=torch.int64) % 7),
                           (5000, torch.arange(len(x), dtype=torch.int32) * 31 % 5000),
                           (3, torch.zeros(len(x), dtype=torch.uint8))):
        for ops in ("sum,mean,count", "var", "count_nonzero"):
            for a, b in zip(onefold.fold_by(ops, labels.cuda(), x, groups=groups),
                            onefold.fold_by(ops, labels, x.cpu(), groups=groups)):
                same(a, b, ops)


def test_labels_are_queued_and_captured():
    x, labels = tensor("float32"), torch.arange(len(tensor("float32")), device="cuda") % 100
    wanted = onefold.fold_by("sum,mean", labels.cpu(), x.cpu(), groups=100)
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        answers = onefold.fold_by("sum,mean", labels, x, groups=100, errors="defer")
    for last in (int(labels[-1]), 100, int(labels[-1])):
        labels[-1] = last
        graph.replay()
        for (value, status), right in zip(answers, wanted):
            assert (status == (0 if last < 100 else 4)).all()
            if last < 100:
                same(value, right)


def test_labels_that_are_none():
    x = tensor("float32")
    with pytest.raises(ValueError, match="label 100002 is -1; labels of 7 groups are 0..6"):
        wrong = torch.arange(len(x)).cuda() % 7
        wrong[-1] = -1
        onefold.fold_by("sum", wrong, x, groups=7)
    with pytest.raises(onefold.EmptyError):
        onefold.fold_by("max", torch.zeros(len(x), dtype=torch.int32, device="cuda"), x, groups=2)
