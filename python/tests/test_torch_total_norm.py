"""norm2_of many tensors and clip_grad_norm_, of any sharding; skipped where torch is missing."""

import math
from fractions import Fraction

import pytest

import onefold
from test_engines import run_ranks

torch = pytest.importorskip("torch", exc_type=ImportError, reason="torch is not installed")

import onefold.torch  # noqa: E402
from onefold.torch import norms  # noqa: E402


def root(tensors):
    """The square root of the exact sum of squares, within 2^-200."""
    total = sum(Fraction(v) ** 2 for x in tensors for v in x.double().reshape(-1).tolist())
    return Fraction(math.isqrt(int(total * 4**300)), 2**300)


def is_nearest(answer, exact):
    """Whether no neighbour of the answer is nearer."""
    return all(abs(Fraction(answer.item()) - exact) <= abs(Fraction(torch.nextafter(answer, answer * 0 + to).item()) - exact)
               for to in (0.0, math.inf))


def given(dtypes):
    torch.manual_seed(6)
    shapes = [(3, 5), (), (0, 4), (70, 70), (1,), (9000,)]
    return [(torch.randn(shape, dtype=torch.float64) * 2.0 ** (k % 7)).to(dtypes[k % len(dtypes)])
            for k, shape in enumerate(shapes)]


@pytest.mark.parametrize("dtypes", [[torch.float32], [torch.float64], [torch.bfloat16, torch.float16],
                                    [torch.float16, torch.float32, torch.float64]])
def test_it_is_the_root_of_one_exact_sum_however_tensors_are_cut(dtypes, monkeypatch):
    tensors = given(dtypes)
    answer = onefold.torch.norm2_of(tensors)
    assert answer.shape == () and answer.dtype == (
        torch.float32 if dtypes[0] is torch.bfloat16 else torch.float64 if torch.float64 in dtypes else torch.float32)
    assert is_nearest(answer, root(tensors))
    cut = [piece for x in reversed(tensors) for piece in x.reshape(-1).split(1000)]
    strided = [torch.stack([x, x], -1)[..., 0] for x in tensors]
    for others in (cut, strided, iter(tensors), [torch.cat([x.reshape(-1).to(answer.dtype) for x in tensors])]):
        assert torch.equal(onefold.torch.norm2_of(others), answer)
    monkeypatch.setattr(norms, "_short", {"cpu": 100})
    monkeypatch.setattr(norms, "_most", 50)
    assert torch.equal(onefold.torch.norm2_of(tensors), answer)
    assert torch.equal(onefold.torch.norm2_of(tensors[3]), onefold.norm2(tensors[3]))


def test_types_nothing_and_special_numbers():
    of = onefold.torch.norm2_of
    assert of([]).item() == 0 and of([torch.zeros(0)]).dtype == torch.float32
    assert of([torch.full((2,), 60000.0).half()]).item() == math.inf  # beyond float16
    assert of([torch.full((2,), 60000.0).half()], dtype=torch.float32).item() == torch.tensor(60000 * math.sqrt(2)).item()
    assert of([torch.tensor([3 + 4j]), torch.tensor(12.0)]).item() == 13
    assert of([torch.ones(2), torch.tensor(math.inf)]).item() == math.inf
    assert of([torch.ones(2), torch.tensor(math.inf), torch.tensor(math.nan)]).isnan()
    assert of([torch.full((3,), 1e300, dtype=torch.float64)]).isfinite()
    assert not of([torch.ones(2, requires_grad=True)]).requires_grad


def test_what_is_wrong_is_said():
    for bad, message in (([torch.ones(2), torch.ones(2).int()], "tensor 1 is of torch.int32"), ([[1.0]], "tensor 0 is a list"),
                         ([torch.ones(2).to_sparse()], "sparse"), ([torch.ones(2, device="meta")], "tensor 0 is on meta")):
        with pytest.raises(onefold.Error, match=message):
            onefold.torch.norm2_of(bad)
    with pytest.raises(onefold.OptionError, match="dtype=torch.int32"):
        onefold.torch.norm2_of([torch.ones(2)], dtype=torch.int32)


def test_gradients_are_clipped_by_it():
    ours, theirs = ([torch.nn.Parameter(x.clone()) for x in given([torch.float32])] for _ in range(2))
    for parameters in (ours, theirs):
        parameters.append(torch.nn.Parameter(torch.ones(2)))  # has no gradient
        sum((p * p).sum() for p in parameters[:-1]).backward()
    total = onefold.torch.clip_grad_norm_(ours, 1.5)
    assert torch.equal(total, onefold.torch.norm2_of([p.grad for p in theirs if p.grad is not None]))
    torch.testing.assert_close(total, torch.nn.utils.clip_grad_norm_(theirs, 1.5))
    for a, b in zip(ours[:-1], theirs):
        torch.testing.assert_close(a.grad, b.grad)
    ours[0].grad[0] = math.inf
    kept = [p.grad.clone() for p in ours[:-1]]
    with pytest.raises(RuntimeError, match="the total norm of the gradients is inf"):
        onefold.torch.clip_grad_norm_(ours, 1.5, error_if_nonfinite=True)
    assert all(torch.equal(p.grad, k) for p, k in zip(ours, kept))
    assert onefold.torch.clip_grad_norm_([torch.nn.Parameter(torch.ones(2))], 1.0).item() == 0


SHARDED = """
import sys, torch, onefold, onefold.torch, torch.distributed as dist
from torch.distributed.tensor import Replicate, Shard, distribute_tensor
from torch.distributed.device_mesh import init_device_mesh
rank, size = int(sys.argv[1]), int(sys.argv[2])
dist.init_process_group("gloo", init_method="file://" + sys.argv[3], rank=rank, world_size=size)
torch.manual_seed(7)
whole = [torch.randn(7, 6), torch.randn(5), torch.randn(3, 4, 2)]
answer = onefold.torch.norm2_of(whole)
mesh = init_device_mesh("cpu", (size,))
for placements in ([Shard(0)] * 3, [Replicate()] * 3, [Shard(1), Replicate(), Shard(0)]):
    parts = [distribute_tensor(x, mesh, [p]) for x, p in zip(whole, placements)]
    assert torch.equal(onefold.torch.norm2_of(parts), answer), placements
    assert torch.equal(onefold.torch.norm2_of([*parts[:2], whole[2]]), answer), placements
flat = torch.cat([x.reshape(-1) for x in whole])
mine = [flat.tensor_split(size)[rank]]
assert torch.equal(onefold.torch.norm2_of(mine, group=dist.group.WORLD), answer)
assert torch.equal(onefold.torch.norm2_of([flat] if rank == 0 else [], group=dist.group.WORLD), answer)
try:
    onefold.torch.norm2_of(parts, group=dist.group.WORLD)
    raise SystemExit("no error")
except onefold.OptionError:
    pass
for x in parts:
    x.grad = x * 10
total = onefold.torch.clip_grad_norm_(parts, 1.0)
assert torch.equal(total, onefold.torch.norm2_of([x * 10 for x in whole]))
assert abs(onefold.torch.norm2_of([x.grad for x in parts]).item() - 1) < 1e-5
dist.destroy_process_group()
"""


def test_any_sharding_has_the_same_bits(tmp_path):
    run_ranks(tmp_path, SHARDED, 2, str(tmp_path / "meet"))
