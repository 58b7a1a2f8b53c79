"""Tensors of torch on the CPU, and onefold.torch's operators; skipped where torch is not installed."""

import numpy as np
import pytest

import onefold

torch = pytest.importorskip("torch", exc_type=ImportError, reason="torch is not installed")

import onefold.torch  # noqa: E402

X = np.random.default_rng(4).normal(0, 30, 1000)


def test_a_tensor_gives_a_tensor_with_numpys_bits():
    for dtype in (torch.float64, torch.float32, torch.float16, torch.int32):
        x = torch.from_numpy(X).to(dtype)
        for op in ("sum", "mean", "var", "argmax", "nanmin"):
            answer = getattr(onefold, op)(x)
            assert isinstance(answer, torch.Tensor) and answer.shape == ()
            assert answer.numpy().tobytes() == getattr(onefold, op)(x.numpy()).tobytes()
    assert onefold.sum(torch.ones(1000, dtype=torch.bfloat16)).dtype == torch.bfloat16
    rows = onefold.max(torch.from_numpy(X).reshape(10, 100), axis=1)
    assert rows.shape == (10,) and torch.equal(rows, torch.from_numpy(X).reshape(10, 100).amax(1))
    assert onefold.sum(torch.arange(10)[::3]) == 18


def test_products_and_segments_of_tensors_are_tensors():
    a, b = torch.from_numpy(X).reshape(10, 100), torch.from_numpy(X[::-1].copy()).reshape(10, 100)
    for left, right in ((a, b), (a.float(), b), (a, b[0]), (a[3], b[4])):
        ours = onefold.vecdot(left, right)
        cpu = onefold.vecdot(left.numpy(), right.numpy())
        assert isinstance(ours, torch.Tensor) and ours.numpy().tobytes() == cpu.tobytes()
    for offsets in (torch.tensor([0, 3, 3, 10]), [0, 3, 3, 10]):
        total, mean = onefold.fold_segments("sum,mean", a, offsets)
        assert torch.equal(total, torch.stack([onefold.sum(part, axis=0) for part in (a[:3], a[3:3], a[3:])]))
        assert isinstance(mean, torch.Tensor) and mean[1].isnan().all()
    keys = torch.tensor([7, -2] * 50)
    names, sums = onefold.fold_by("sum,mean", keys, a[0])
    assert names.tolist() == [-2, 7] and torch.equal(sums.sum[1], onefold.sum(a[0, ::2]))
    assert torch.equal(onefold.fold_by("sum", keys.clamp(0, 1), a[0], groups=2).sum, sums.sum)
    for call in (lambda: onefold.fold("sum", a, errors="defer"),
                 lambda: onefold.fold_segments("sum", a, [0, 3], errors="defer"),
                 lambda: onefold.fold_by("sum", torch.arange(10), a[0], groups=10, errors="defer")):
        with pytest.raises(onefold.OptionError, match="errors= is for arrays on a device"):
            call()


@pytest.mark.parametrize("backend", ["eager", "aot_eager"])
def test_compile_keeps_the_operators_in_one_graph(backend):
    @torch.compile(fullgraph=True, backend=backend)
    def f(x):
        return onefold.torch.var(x * 2, ddof=1) + onefold.torch.sum(x)

    x = torch.from_numpy(X)
    assert torch.equal(f(x), onefold.var(x * 2, ddof=1) + onefold.sum(x))


def test_operators_are_what_torch_wants_of_them():
    x = torch.from_numpy(X)
    for op in ("sum", "argmax", "count_nonzero"):
        torch.library.opcheck(getattr(torch.ops.onefold, op).default, (x, 0.0, "propagate"))


def test_gradients_are_those_of_torch():
    x = torch.from_numpy(X[:50].copy()).requires_grad_()
    for ours, theirs in [
            (onefold.torch.sum, torch.sum), (onefold.torch.mean, torch.mean),
            (lambda t: onefold.torch.var(t, ddof=1), torch.var),
            (onefold.torch.norm2, torch.linalg.vector_norm)]:
        assert torch.autograd.gradcheck(ours, (x,))
        mine, = torch.autograd.grad(ours(x) * 3, x)
        torch.testing.assert_close(mine, torch.autograd.grad(theirs(x) * 3, x)[0])
    with pytest.raises(RuntimeError, match="no autograd formula"):
        onefold.torch.sumsq(x).backward()


def test_a_tensor_that_requires_grad_is_refused_with_torchs_advice():
    x = torch.ones(3, requires_grad=True)
    for call in [onefold.sum, lambda t: onefold.fold("mean,var", t), lambda t: onefold.dot(t, t),
                 lambda t: onefold.gather("sum", t)]:
        with pytest.raises(onefold.UnsupportedError, match=r"x\.detach\(\)"):
            call(x)
    assert onefold.sum(x.detach()) == 3


def test_an_out_of_torch_is_refused_and_left_as_it_is():
    out = torch.zeros(())
    with pytest.raises(onefold.DTypeError, match="must be an ndarray"):
        onefold.sum(torch.ones(3), out=out)
    assert out == 0
    with pytest.raises(onefold.UnsupportedError):
        onefold.sum(torch.ones(3, dtype=torch.complex64))
