"""logsumexp and its kin on a CUDA device: the CPU's bits, along any axes, on the current stream and in graphs.

Skipped, with the reason, where torch or a device is missing.
"""

import pytest

import onefold

torch = pytest.importorskip("torch", reason="torch is not installed")
if not torch.cuda.is_available():
    pytest.skip("no CUDA device", allow_module_level=True)

from onefold.reduce.device_rows import logsumexp_of_words, logsumexp_words  # noqa: E402
from test_engines import run_ranks  # noqa: E402
from test_logsumexp_states import SHARDS  # noqa: E402

TYPES = [torch.float64, torch.float32, torch.float16, torch.bfloat16]
SLICES, ELEMENTS = (onefold.logsumexp, onefold.logmeanexp), (onefold.softmax, onefold.log_softmax)


def same(ours, cpu):
    assert ours.is_cuda and ours.dtype == cpu.dtype and ours.shape == cpu.shape
    assert torch.equal(ours.cpu().nan_to_num(7e4), cpu.nan_to_num(7e4))


@pytest.mark.parametrize("dtype", TYPES)
def test_answers_have_the_bits_of_the_cpu(dtype):
    torch.manual_seed(1)
    x = (3 * torch.randn(30, 7, 500)).to(dtype)
    x[3, 2, 5] = float("inf")
    x[4, 1, 5] = float("nan")
    x[5, 0, 100:] = -float("inf")
    there = x.cuda()
    for function in SLICES:
        for axis in (0, 1, -1, (0, 2), (0, 1), None):
            same(function(there, axis=axis), function(x, axis=axis))
        same(function(there, axis=2, keepdims=True), function(x, axis=2, keepdims=True))
        same(function(there, axis=2, nan="omit"), function(x, axis=2, nan="omit"))
        same(function(there[:, :, ::3], axis=2), function(x[:, :, ::3], axis=2))
        with pytest.raises(onefold.NanError):
            function(there, axis=2, nan="raise")
    for function in ELEMENTS:
        for axis in (0, 1, -1, (0, 2), None):
            same(function(there, axis=axis), function(x, axis=axis))
        same(function(there.mT, axis=1), function(x.mT, axis=1))


@pytest.mark.parametrize("dtype", TYPES)
def test_states_have_the_bytes_of_the_cpu(dtype):
    torch.manual_seed(2)
    x = (9 * torch.randn(6, 5, 3000)).to(dtype)
    x[2, 1, 5] = float("inf")
    x[3, 1, 5] = float("nan")
    x[4, 0, 100:] = -float("inf")
    x[5, 2, 7] = 0.0
    there = x.cuda()
    for axis in (0, 1, -1, (0, 2), None):
        for keywords in ({}, {"nan": "omit"}, {"keepdims": True}):
            assert bytes(onefold.gather_logsumexp(there, axis, **keywords)) == bytes(onefold.gather_logsumexp(x, axis, **keywords))
    long = (9 * torch.randn(3, 1_000_003)).to(dtype)  # cut into pieces
    for rows, axis in ((long, 1), (long[0], 0), (long.mT, 0)):
        assert onefold.gather_logsumexp(rows.cuda(), axis) == onefold.gather_logsumexp(rows, axis)
    halves = [onefold.gather_logsumexp(h, axis=-1) for h in there.split(1700, -1)]
    assert halves[1] | halves[0] == onefold.gather_logsumexp(x, axis=-1)
    assert onefold.gather_logsumexp(there[:0], axis=0) == onefold.gather_logsumexp(x[:0], axis=0)
    with pytest.raises(onefold.UnsupportedError, match="where= needs an array on the host"):
        onefold.gather_logsumexp(there, where=there > 0)


@pytest.mark.parametrize("dtype", TYPES)
def test_words_are_merged_and_answered_there(dtype):
    torch.manual_seed(4)
    x = (5 * torch.randn(3, 7, 6000)).to(dtype)
    x[0, 1] = 1.5
    x[1, 2, 5] = float("inf")
    x[2, 3] = -float("inf")
    there = x.cuda()
    for axis in (0, 1, -1):
        for shards in (1, 2, 3):
            parts = there.tensor_split(shards, axis)
            words = torch.stack([logsumexp_words(part, axis) for part in parts])
            same(logsumexp_of_words(words, dtype), onefold.logsumexp(x, axis=axis))
            assert bytes(words[0].cpu().numpy()) == bytes(onefold.gather_logsumexp(parts[0].cpu(), axis))[-words[0].numel() * 8 - 4:-4]
    many = torch.stack([logsumexp_words(part, 0) for part in there.reshape(-1).split(1000)])
    same(logsumexp_of_words(many, dtype), onefold.logsumexp(x))
    assert logsumexp_words(there[:0], 1).shape == (0, 6000, 25)


def test_processes_of_a_gpu_share_a_vocabulary(tmp_path):
    for n in range(1, min(torch.cuda.device_count(), 2) + 1):
        run_ranks(tmp_path, SHARDS, n, str(tmp_path / f"meet{n}"), "nccl")


def test_empty_and_expanded_tensors():
    nothing = torch.empty(3, 0, device="cuda")
    assert onefold.logsumexp(nothing, axis=1).tolist() == [-float("inf")] * 3
    assert onefold.logsumexp(nothing, axis=0).shape == (0,) and onefold.softmax(nothing, axis=1).shape == (3, 0)
    assert onefold.logmeanexp(nothing, axis=1).isnan().all()
    row = torch.tensor([1.0, 2.0], device="cuda").expand(4, 2)
    same(onefold.softmax(row, axis=0), onefold.softmax(row.cpu(), axis=0))
    same(onefold.logsumexp(row, axis=0), onefold.logsumexp(row.cpu(), axis=0))
    assert onefold.logsumexp(torch.tensor(2.0, device="cuda")) == 2


def test_streams_and_graphs():
    x = torch.randn(64, 1000, device="cuda")
    stream = torch.cuda.Stream()
    expected = onefold.softmax(x.cpu(), axis=1)
    with torch.cuda.stream(stream):
        same(onefold.softmax(x, axis=1), expected)
    stream.synchronize()
    onefold.logsumexp(x, axis=1)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        soft, whole = onefold.softmax(x, axis=1), onefold.logsumexp(x, axis=1)
    x.mul_(2)
    graph.replay()
    same(soft, onefold.softmax(x.cpu(), axis=1))
    same(whole, onefold.logsumexp(x.cpu(), axis=1))


@pytest.mark.parametrize("call, error, words", [
    (lambda x: onefold.softmax(x.long(), axis=1), onefold.UnsupportedError, "floats"),
    (lambda x: onefold.logsumexp(x, where=x > 0), onefold.UnsupportedError, "where="),
    (lambda x: onefold.logsumexp(x, weights=[1, 2]), onefold.UnsupportedError, "weights="),
    (lambda x: onefold.softmax(x, axis=2), onefold.AxisError, "axis 2"),
    (lambda x: onefold.logsumexp(x.requires_grad_()), onefold.UnsupportedError, "detach")])
def test_what_is_not_there_is_refused(call, error, words):
    with pytest.raises(error, match=words):
        call(torch.randn(3, 4, device="cuda"))
