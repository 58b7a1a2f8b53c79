"""Tensors on a CUDA device: the CPU's bits, on the current stream, without waiting.

Skipped, with the reason, where torch or a device is missing.
Most of the time is that of compiling kernels, one for each set of ops and each type, so ops are asked for
together. `pytest -n 12 --dist worksteal` shares them out; kernels are kept in one folder for all processes.
"""

import numpy as np
import pytest

import onefold
from cuda_tensors import NAMES, same, tensor, torch

OPS = [row[0] for row in onefold._core.op_table() if row[2] == 1]


@pytest.mark.parametrize("first", range(0, len(OPS), 6))
@pytest.mark.parametrize("name", NAMES)
def test_answers_are_tensors_with_the_bits_of_the_cpu(name, first):
    x, ops = tensor(name), OPS[first:first + 6]
    for op, ours, cpu in zip(ops, onefold.fold(ops, x), onefold.fold(ops, x.cpu())):
        same(ours, cpu, op)
        assert ours.shape == ()


@pytest.mark.parametrize("op", OPS)
def test_calls_of_one_op_have_the_bits_of_the_cpu(op):
    x = tensor("float32")
    same(getattr(onefold, op)(x), getattr(onefold, op)(x.cpu()))


@pytest.mark.parametrize("name", NAMES)
def test_products_have_the_bits_of_the_cpu(name):
    x = tensor(name)
    same(onefold.dot(x, x), onefold.dot(x.cpu(), x.cpu()))
    same(onefold.sum(x), onefold.sum(x.cpu()))
    a = x[:24 * 20].reshape(24, 20)
    for left, right, axis in ((a, a.flip(0), -1), (a, a[:1], -1), (a[:, None], a[None], -1), (a, a[:, :1], 0)):
        same(onefold.vecdot(left, right, axis=axis), onefold.vecdot(left.cpu(), right.cpu(), axis=axis), axis)
    if "float" in name:
        wide = a.double()
        same(onefold.vecdot(a, wide), onefold.vecdot(wide.cpu(), wide.cpu()))


def test_weights_and_several_ops_of_pairs():
    x, y = tensor("float32", 600).reshape(20, 30), tensor("float32", 600, seed=2).reshape(20, 30)
    w = y.abs()
    for weights, axis in ((w, None), (w, 0), (w[:, 0], 0), (w[0], 1), (w.double(), 1)):
        ours = onefold.average(x, axis=axis, weights=weights)
        cpu = onefold.average(x.cpu().numpy(), axis=axis, weights=weights.cpu().numpy())
        same(ours, torch.as_tensor(cpu), axis)
    host = x.cpu().numpy(), y.cpu().numpy()
    for weights, axis in ((w, None), (w, 0), (w[:, 0], 0), (w.double(), 1)):
        on_host = weights.cpu().numpy()
        same(onefold.var(x, axis=axis, weights=weights),
             torch.as_tensor(onefold.var(host[0], axis=axis, weights=on_host)), axis)
        for ours, cpu in zip(onefold.fold("corr,mse", x, y, axis=axis, weights=weights),
                             onefold.fold("corr,mse", *host, axis=axis, weights=on_host)):
            same(ours, torch.as_tensor(cpu), axis)
    for axis in (None, 0, 1):
        for ours, cpu in zip(onefold.fold("mse,dot,corr", x, y, axis=axis),
                             onefold.fold("mse,dot,corr", x.cpu(), y.cpu(), axis=axis)):
            same(ours, cpu)
    same(onefold.fold("mse", x, y, where=x > 0).mse, onefold.fold("mse", x.cpu(), y.cpu(), where=(x > 0).cpu()).mse)


@pytest.mark.parametrize("dtype", [torch.int64, torch.int32, torch.uint8])
def test_counts_repeat_elements(dtype):
    x = tensor("float32", 600).reshape(20, 30)
    counts = torch.arange(600, device="cuda").reshape(20, 30).remainder(7).to(dtype)
    ops = "sum,mean,var,norm2,min,argmax,count"
    for axis in (None, 0, 1):
        ours = onefold.fold(ops, x, axis=axis, ddof=1, fweights=counts)
        cpu = onefold.fold(ops, x.cpu().numpy(), axis=axis, ddof=1, fweights=counts.cpu().numpy())
        for a, b in zip(ours, cpu):
            same(a, torch.as_tensor(b), axis)
    repeated = x.reshape(-1).repeat_interleave(counts.reshape(-1).int())
    assert onefold.fold("var", x, ddof=1, fweights=counts).var == onefold.var(repeated, ddof=1)
    if dtype is torch.int64:
        counts[3, 4] = -2
        with pytest.raises(onefold.Error, match="negative"):
            onefold.fold("sum", x, fweights=counts)
        value, status = onefold.fold("sum", x, fweights=counts, errors="defer").sum
        assert int(status) == 6


def test_views_and_rows():
    x = tensor("float32", 1 << 16).reshape(256, 256)
    assert torch.equal(onefold.sum(x[3]).cpu(), onefold.sum(x[3].cpu()))
    assert torch.equal(onefold.sum(x[5:17]).cpu(), onefold.sum(x[5:17].cpu()))


VIEWS = [lambda x: x, lambda x: x.permute(2, 0, 1), lambda x: x[:, ::2], lambda x: x[3:, :, 1:]]


@pytest.mark.parametrize("view", range(len(VIEWS)))
@pytest.mark.parametrize("name", NAMES)
def test_axes_have_the_bits_of_the_cpu(name, view):
    x = VIEWS[view](tensor(name, 24 * 20 * 30).reshape(24, 20, 30))
    for axis in (0, 1, 2, (0, 2), (1, 2), -1):
        for ops in ("sum,mean,var,min,count_nonzero", "argmax"):
            if ops == "argmax" and isinstance(axis, tuple):
                continue
            for ours, cpu in zip(onefold.fold(ops, x, axis=axis), onefold.fold(ops, x.cpu(), axis=axis)):
                same(ours, cpu, (ops, axis))


def test_axes_kept_empty_and_wrong():
    x = tensor("float32", 24 * 20 * 30).reshape(24, 20, 30)
    assert onefold.sum(x, axis=1, keepdims=True).shape == (24, 1, 30)
    assert onefold.sum(x[:0], axis=0).cpu().tolist() == [[0] * 30] * 20
    with pytest.raises(onefold.AxisError):
        onefold.sum(x, axis=3)


def test_answers_go_where_out_says():
    x = tensor("float32", 600).reshape(20, 30)
    want = onefold.sum(x, axis=0)
    room = torch.full((30, 3), -7.0, device="cuda")
    for out in (torch.empty(30, device="cuda"), room[:, 1], x.clone()[4], torch.empty(60, device="cuda")[::2]):
        assert onefold.sum(x, axis=0, out=out) is out and torch.equal(out, want)
    assert (room[:, ::2] == -7).all()  # and bytes between the outputs are unchanged
    own = x.clone()
    assert torch.equal(onefold.sum(own, axis=0, out=own[3]), want)  # the output overlaps the input
    value, status = onefold.mean(x, axis=1, out=torch.empty(20, device="cuda"), errors="defer")
    assert torch.equal(value, onefold.mean(x, axis=1)) and not status.any()
    kept = torch.full((2,), 5, device="cuda")
    with pytest.raises(OverflowError):
        onefold.sum(torch.tensor([[1, 1], [2**62, 1], [2**62, 1]], device="cuda"), axis=0, out=kept)
    assert kept.tolist() == [5, 5]
    for out in (torch.empty(29, device="cuda"), torch.empty(30, device="cuda", dtype=torch.float64),
                torch.empty(30), torch.empty(1, device="cuda").expand(30), np.empty(30, "f4")):
        with pytest.raises(onefold.Error):
            onefold.sum(x, axis=0, out=out)


MASKED = [lambda x, m: (x, m), lambda x, m: (x.permute(2, 0, 1), m.permute(2, 0, 1)),
          lambda x, m: (x[:, ::2], m[:, ::2]), lambda x, m: (x, m[:1]), lambda x, m: (x, m[:, :, :1]),
          lambda x, m: (x, m[0])]


def masked(name):
    x = tensor(name, 24 * 20 * 30).reshape(24, 20, 30)
    return x, torch.from_numpy(np.random.default_rng(3).random(x.shape) < 0.7).cuda()


@pytest.mark.parametrize("view", range(len(MASKED)))
@pytest.mark.parametrize("name", NAMES)
def test_masks_have_the_bits_of_the_cpu(name, view):
    x, mask = MASKED[view](*masked(name))
    for axis in (None, 0, 1, 2, (0, 2), -1):
        for ops in ("sum,mean,var,count", "max", "argmin"):
            if ops == "argmin" and isinstance(axis, tuple):
                continue
            try:
                cpu = onefold.fold(ops, x.cpu(), axis=axis, where=mask.cpu())
            except onefold.EmptyError:  # the mask takes no element of some slice
                with pytest.raises(onefold.EmptyError):
                    onefold.fold(ops, x, axis=axis, where=mask)
                continue
            for ours, theirs in zip(onefold.fold(ops, x, axis=axis, where=mask), cpu):
                same(ours, theirs, (ops, axis))


def test_masks_of_nothing_and_of_what_is_none():
    x, some = masked("float32")
    none = torch.zeros_like(some)
    assert onefold.mean(x.double(), where=none).isnan() and onefold.count(x, where=none).item() == 0
    with pytest.raises(onefold.EmptyError):
        onefold.max(x, axis=1, where=none)
    with pytest.raises(onefold.OptionError):
        onefold.sum(x, where=some.cpu())
    with pytest.raises(onefold.Error, match="must be bool"):
        onefold.sum(x, where=some.to(torch.uint8))


def test_nan_may_be_left_out_along_axes():
    x = tensor("float32", 60 * 50).reshape(60, 50)
    x[x > 20] = float("nan")
    x[3] = float("nan")
    for op in ("nansum", "nanmean", "nanvar", "nanmax"):
        for axis in (0, 1):
            ours, cpu = getattr(onefold, op)(x, axis=axis), getattr(onefold, op)(x.cpu(), axis=axis)
            assert torch.equal(ours.cpu().nan_to_num(7e7), cpu.nan_to_num(7e7)), (op, axis)


def test_it_runs_on_the_current_stream_and_waits_for_nothing():
    x = torch.ones(1 << 20, device="cuda")
    onefold.sum(x.add_(1))  # compiles, and loads torch's kernel now, since loading waits for the device
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        onefold.sum(x)
        stream.synchronize()
        torch.cuda._sleep(2_000_000_000)  # about a second of clock cycles
        x.add_(1)
        total = onefold.sum(x)
        assert not stream.query(), "the call has waited for the stream"
    stream.synchronize()
    assert total.item() == 3 << 20


def test_a_graph_replays_the_fold():
    x = torch.ones(1 << 18, device="cuda", dtype=torch.float64)
    onefold.sum(x)
    graph = torch.cuda.CUDAGraph()
    torch.cuda.synchronize()
    with torch.cuda.graph(graph):
        total = onefold.sum(x)
    x.fill_(3)
    graph.replay()
    torch.cuda.synchronize()
    assert total.item() == 3 << 18


def test_an_integer_sum_that_overflows_raises_or_is_deferred():
    x = torch.full((4,), 2**62, device="cuda")
    with pytest.raises(OverflowError):
        onefold.sum(x)
    value, status = onefold.sum(x, errors="defer")
    assert status.item() == 1 and onefold.sum(x[:1], errors="defer")[1].item() == 0
    graph = torch.cuda.CUDAGraph()
    torch.cuda.synchronize()
    with pytest.raises(onefold.OptionError, match="captured"), torch.cuda.graph(graph):
        try:
            onefold.sum(x)
        finally:
            x + 1  # captures any work


def test_nan_policies_and_empty_tensors():
    x = torch.tensor([1.0, float("nan")], device="cuda")
    assert onefold.nansum(x).item() == 1 and onefold.sum(x).isnan()
    with pytest.raises(onefold.NanError):
        onefold.sum(x, nan="raise")
    assert onefold.nanmax(x[1:]).isnan()
    assert onefold.sum(x[:0]).item() == 0 and onefold.mean(x[:0]).isnan()
    with pytest.raises(onefold.EmptyError):
        onefold.min(x[:0])


def test_what_is_not_for_a_device_is_refused():
    x = torch.ones(4, device="cuda")
    with pytest.raises(onefold.UnsupportedError, match="detach"):
        onefold.sum(x.clone().requires_grad_())
    for keywords in [{"out": torch.empty(())}, {"where": [True] * 4}]:
        with pytest.raises(onefold.OptionError):
            onefold.sum(x, **keywords)
    with pytest.raises(onefold.Error):
        onefold.dot(x, x.cpu())
    z = torch.complex(x.float(), -x.float())
    for found, wanted in ((onefold.sum(z), torch.complex(onefold.sum(x.float()), -onefold.sum(x.float()))),
                          (onefold.norm2(z), onefold.norm2(torch.view_as_real(z))),
                          (onefold.vecdot(z, z).real, onefold.sumsq(torch.view_as_real(z)))):
        assert found.is_cuda and found == wanted


def test_tensors_on_the_cpu_come_back_as_tensors():
    for name in NAMES:
        x = tensor(name).cpu()
        assert onefold.sum(x).dtype == onefold.sum(x.cuda()).dtype
        assert isinstance(onefold.max(x), torch.Tensor)
    rows = onefold.mean(tensor("float32", 12).cpu().reshape(3, 4), axis=1)
    assert isinstance(rows, torch.Tensor) and rows.shape == (3,)


def test_tensors_of_another_device_than_the_current():
    if torch.cuda.device_count() < 2:
        pytest.skip("one device")
    x = torch.arange(12, dtype=torch.float32).reshape(3, 4)
    there = x.to("cuda:1")
    assert torch.cuda.current_device() == 0
    assert onefold.sum(there).item() == 66
    assert torch.equal(onefold.mean(there, axis=0).cpu(), x.mean(0))
    assert onefold.mean(there, axis=0).device == there.device
    assert onefold.gather("var", there) == onefold.gather("var", x.numpy())
    assert torch.cuda.current_device() == 0


def test_states_of_tensors_and_of_parts():
    x = torch.randn(4, 1000, dtype=torch.float64)
    there = x.cuda()
    for ops in ("mean,var", "argmin,max"):
        assert onefold.gather(ops, there) == onefold.gather(ops, x.numpy())
        assert onefold.gather(ops, there, axis=0) == onefold.gather(ops, x.numpy(), axis=0)
        parts = [there[:1], x[1:3].numpy(), there[3:]]
        assert onefold.gather_parts(ops, parts) == onefold.gather(ops, x.numpy())
        assert onefold.gather_parts(ops, parts, axis=0) == onefold.gather(ops, x.numpy(), axis=0)
    where = x > 0
    assert (onefold.gather("mean", there, where=where.cuda())
            == onefold.gather("mean", x.numpy(), where=where.numpy()))
    assert onefold.gather("corr", there[0], there[1]) == onefold.gather("corr", *x[:2].numpy())
