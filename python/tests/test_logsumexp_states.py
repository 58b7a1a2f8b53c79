"""States of logsumexp: parts merge in any order to the bytes, and the answers, of the whole."""

import pickle

import numpy as np
import pytest

import onefold
from onefold import _ranks
from test_engines import run_ranks
from test_ranks import ranks

rng = np.random.default_rng(3)


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8"])
@pytest.mark.parametrize("shards", [1, 2, 4, 8])
def test_a_loss_has_the_same_bits_for_any_shards_of_a_vocabulary(dtype, shards):
    logits = rng.normal(0, 5, (20, 1000)).astype(dtype)
    parts = [onefold.gather_logsumexp(p, axis=-1) for p in np.split(logits, np.sort(rng.integers(0, 1000, shards - 1)), -1)]
    rng.shuffle(parts)
    states = onefold.LogsumexpStates()
    for p in parts:
        states |= pickle.loads(pickle.dumps(p))
    whole = onefold.gather_logsumexp(logits, axis=-1)
    assert bytes(states) == bytes(whole) and states == whole and states.digest() == whole.digest()
    assert states.shape == (20,) and len(states) == 20 and states.dtype == onefold.gather("sum", logits).dtype
    np.testing.assert_array_equal(states.logsumexp, onefold.logsumexp(logits, axis=-1))
    np.testing.assert_array_equal(states.answer("logmeanexp"), onefold.logmeanexp(logits, axis=-1))


def test_one_slice_has_a_number():
    s = onefold.gather_logsumexp([1.0, 2.0]) | onefold.gather_logsumexp([3.0])
    assert s.logsumexp == onefold.logsumexp([1.0, 2.0, 3.0]) and isinstance(s.logsumexp, float)
    assert onefold.LogsumexpStates.load(s.save()) == s


def test_masks_and_policies():
    x = np.array([1, np.nan, 3, 900.0])
    omitted = onefold.gather_logsumexp(x, nan="omit", where=[True, True, True, False])
    assert omitted.logsumexp == onefold.logsumexp([1.0, 3.0])
    assert np.isnan(onefold.gather_logsumexp(x).logsumexp)
    with pytest.raises(onefold.NanError, match="a NaN was found"):
        onefold.gather_logsumexp(x, nan="raise").logsumexp
    assert onefold.gather_logsumexp(np.ma.masked_array([1.0, 5.0], [False, True])).logsumexp == 1


def test_what_is_not_decided_is_said():
    with pytest.raises(onefold.StateError, match=r"logsumexp: the state is not precise enough to round its answer"):
        onefold.gather_logsumexp([0.0, -100.0]).logsumexp
    assert onefold.gather_logsumexp(np.array([0, -50], "f4")).logsumexp == np.float32(np.exp(-50))


def test_what_is_refused():
    s = onefold.gather_logsumexp([1.0])
    with pytest.raises(onefold.ShapeError, match=r"states of shape \(2,\) cannot be merged into states of shape \(\)"):
        s.merge(onefold.gather_logsumexp([[1.0], [2.0]], axis=1))
    with pytest.raises(onefold.StateError, match="states of f32 with NaN policy propagate cannot be merged into states of f64"):
        s.merge(onefold.gather_logsumexp(np.float32([1])))
    with pytest.raises(onefold.StateError, match="remove: the greatest elements are held"):
        s.remove(s)
    with pytest.raises(onefold.OptionError, match="mean: these states answer logsumexp and logmeanexp"):
        s.answer("mean")
    with pytest.raises(onefold.OptionError, match="an answer of these states takes no options"):
        s.answer("logsumexp", dtype="f4")
    with pytest.raises(onefold.EmptyError, match="nothing has been gathered; merge states first"):
        onefold.LogsumexpStates().logsumexp
    assert not hasattr(s, "mean")
    with pytest.raises(onefold.StateError, match="these bytes are a state, not states of logsumexp"):
        onefold.LogsumexpStates.load(bytes(onefold.gather("sum", [1.0])))
    with pytest.raises(TypeError):
        hash(s)


@pytest.mark.parametrize("n", [1, 2, 4, 8])
def test_all_processes_have_the_bytes_of_one(n):
    logits = rng.normal(0, 5, (300, 64)).astype("f4")
    whole = onefold.gather_logsumexp(logits, axis=-1)

    def work(rank, gather, add):
        mine = onefold.LogsumexpStates() if rank == 1 else onefold.gather_logsumexp(parts[rank], axis=-1)
        return bytes(_ranks.merge(mine, gather, add))

    parts = np.array_split(logits, n - (n > 1), -1)
    parts = parts[:1] + [None] + parts[1:]
    assert ranks(n, work) == [bytes(whole)] * n

    def differ(rank, gather, add):
        return _ranks.merge(onefold.gather_logsumexp(logits if rank else logits.astype("f8")), gather, add)

    if n > 1:
        assert all("ranks 0 and 1: merge: states of f32" in str(e) for e in ranks(n, differ))


SHARDS = """
import sys, torch, onefold, onefold.torch, torch.distributed as dist
rank, size, engine = int(sys.argv[1]), int(sys.argv[2]), sys.argv[4]
if engine == "nccl": torch.cuda.set_device(rank)
dist.init_process_group(engine, init_method="file://" + sys.argv[3], rank=rank, world_size=size)
device = "cuda" if engine == "nccl" else "cpu"
for dtype in (torch.float32, torch.bfloat16, torch.float16, torch.float64):
    torch.manual_seed(3)
    whole = (4 * torch.randn(2, 5, 4096)).to(dtype)
    x = whole.chunk(size, -1)[rank].to(device).clone().requires_grad_()
    answer = onefold.torch.logsumexp_of_shards(x)
    assert torch.equal(answer.cpu(), onefold.logsumexp(whole, axis=-1)), dtype
    assert torch.equal(onefold.torch.logsumexp_of_shards(x.detach().mT, dim=1), answer), dtype
    answer.sum().backward()
    share = torch.softmax(whole.double(), -1).chunk(size, -1)[rank]
    assert torch.allclose(x.grad.cpu().double(), share, rtol=0.02, atol=1e-6), dtype
    assert onefold.torch.logsumexp_of_shards(x.detach().reshape(-1), 0).ndim == 0
    if dtype.itemsize == 2:
        wide = onefold.torch.logsumexp_of_shards(x, dtype=torch.float32)
        assert torch.equal(wide.cpu(), onefold.logsumexp(whole.float(), axis=-1)), dtype
    # The loss of docs/torch.md.
    logits, first = x.detach().reshape(10, -1).requires_grad_(), rank * x.shape[-1]
    target = torch.arange(0, 4000, 400, device=device)
    logs = onefold.torch.logsumexp_of_shards(logits)
    own = target - first
    mine = (0 <= own) & (own < logits.shape[1])
    score = logits.gather(1, own.clamp(0, logits.shape[1] - 1)[:, None])[:, 0].where(mine, 0)
    total = score.detach().clone()
    dist.all_reduce(total)
    loss = onefold.torch.mean(logs - (score + (total - score.detach())), axis=[0])
    full = whole.reshape(10, -1)
    expected = onefold.mean(onefold.logsumexp(full, axis=1) - full.gather(1, target.cpu()[:, None])[:, 0])
    assert torch.equal(loss.detach().cpu().reshape(()), torch.as_tensor(expected, dtype=dtype)), dtype
    loss.backward()
    full = full.double().requires_grad_()
    torch.nn.functional.cross_entropy(full, target.cpu()).backward()
    assert torch.allclose(logits.grad.cpu().double(), full.grad.chunk(size, 1)[rank], rtol=0.1, atol=1e-3), dtype
for wrong, message in (({"dtype": torch.int32}, "dtype=torch.int32 cannot hold"), ({"dtype": torch.float16}, "cannot hold")):
    try:
        onefold.torch.logsumexp_of_shards(torch.ones(3, device=device), **wrong)
        assert False
    except onefold.OptionError as error:
        assert message in str(error)
dist.barrier()
dist.destroy_process_group()
"""


@pytest.mark.parametrize("n", [1, 2, 4])
def test_shards_of_a_vocabulary_have_the_loss_of_the_whole(tmp_path, n):
    pytest.importorskip("torch", exc_type=ImportError, reason="torch is not installed")
    run_ranks(tmp_path, SHARDS, n, str(tmp_path / "meet"), "gloo")
