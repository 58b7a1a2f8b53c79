"""Tensors of torch on the CPU, and onefold.torch's operators; skipped where torch is not installed."""

import numpy as np
import pytest

import onefold
from onefold.operands import frameworks

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


def test_a_tensor_is_seen_as_by_dlpack():
    x = torch.from_numpy(X).reshape(10, 5, 20)
    for dtype in (torch.float64, torch.float16, torch.bfloat16, torch.int16, torch.uint8, torch.bool):
        for t in (x, x.permute(2, 0, 1), x[::3, 1:, 4], x[0, :1].expand(7, 20), x[:0], x[0, 0, 0]):
            t = (t.abs() if dtype == torch.uint8 else t).to(dtype)
            view = frameworks.framework_of("sum", t).view(t)
            assert view.shape == t.shape and view.device == -1
            for op in ("sum", "count"):
                ours, = onefold._core.fold_array(op, view, None, {"result": "f64"})
                assert ours == onefold.sum(t.double()).item() if op == "sum" else ours == t.numel()


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
    small, weights = a.to(torch.bfloat16), torch.arange(10).to(torch.bfloat16)  # a type that NumPy lacks
    means = onefold.fold_segments("average", small, [0, 3, 10], weights=weights).average
    assert torch.equal(means[1], onefold.average(small[3:], axis=0, weights=weights[3:]))
    assert torch.equal(means[1], onefold.fold("average", small[3:], axis=0, result="bf16",
                                              weights=weights[3:, None].expand(7, 100)).average)
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


def test_compile_keeps_axes_second_arrays_segments_and_groups():
    @torch.compile(fullgraph=True, backend="aot_eager")
    def f(x, y, offsets, labels):
        o = onefold.torch
        return (o.sum(x * 2, axis=0), o.var(x, axis=(0, -1), ddof=1, keepdims=True), o.mse(x, y, axis=-1),
                o.dot(x, y, where=x > 0), o.fold_segments("mean", x, offsets), o.fold_segments("mse", x, offsets, y=y),
                o.fold_by("sum", labels, y.reshape(-1), 4), o.argmax(x, axis=1))

    x = torch.from_numpy(X).reshape(10, 4, 25)
    y, offsets, labels = x.flip(0), torch.tensor([0, 4, 10]), torch.arange(1000) % 4
    want = (onefold.sum(x * 2, axis=0), onefold.var(x, axis=(0, 2), ddof=1, keepdims=True),
            onefold.mse(x, y, axis=2), onefold.fold("dot", x, y, where=x > 0)[0], onefold.fold_segments("mean", x, offsets)[0],
            onefold.fold_segments("mse", x, offsets, y=y)[0],
            onefold.fold_by("sum", labels, y.reshape(-1), groups=4)[0], onefold.argmax(x, axis=1))
    for ours, theirs in zip(f(x, y, offsets, labels), want):
        assert ours.shape == theirs.shape and ours.dtype == theirs.dtype and torch.equal(ours, theirs)


def test_operators_are_what_torch_wants_of_them():
    x = torch.from_numpy(X).reshape(10, 100)
    for op in ("sum", "argmax", "count_nonzero"):
        torch.library.opcheck(getattr(torch.ops.onefold, op).default, (x, None, False, 0.0, "propagate"))
    grad = x.clone().requires_grad_()
    torch.library.opcheck(torch.ops.onefold.var.default, (grad, [1], True, 1.0), {"where": x > -9})
    torch.library.opcheck(torch.ops.onefold.mse.default, (grad, x.flip(0), [0]))
    torch.library.opcheck(torch.ops.onefold.fold_segments.default, ("sum", x, torch.tensor([0, 3, 10])))


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
    with pytest.raises(onefold.UnsupportedError, match="propagate"):
        onefold.torch.sum(x, nan="omit").backward()
    nothing = torch.zeros(3, 2, requires_grad=True)
    onefold.torch.norm2(nothing, axis=1).sum().backward()
    assert not nothing.grad.any()


@pytest.mark.parametrize("keepdims", [False, True])
@pytest.mark.parametrize("axis", [None, 0, -1, (0, 2), ()])
def test_gradients_along_axes_and_under_masks(axis, keepdims):
    o = onefold.torch
    x, y = (torch.from_numpy(X[k:k + 60]).reshape(3, 4, 5).clone().requires_grad_() for k in (0, 60))
    for where in (None, x.detach() > -10) if axis != () else (None,):
        how = {"axis": axis, "keepdims": keepdims, "where": where}
        for f in (o.sum, o.mean, o.norm2):
            assert torch.autograd.gradcheck(lambda t: f(t, **how), (x,), atol=1e-4)  # noqa: B023
        if axis != ():
            assert torch.autograd.gradcheck(lambda t: o.var(t, ddof=0.5, **how), (x,), atol=1e-4)  # noqa: B023
        for f in (o.mse, o.dot):
            assert torch.autograd.gradcheck(lambda s, t: f(s, t, **how), (x, y), atol=1e-4)  # noqa: B023
    theirs = torch.autograd.grad(torch.nn.functional.mse_loss(x, y), (x, y))
    for a, b in zip(torch.autograd.grad(o.mse(x, y), (x, y)), theirs):
        torch.testing.assert_close(a, b)
    assert torch.autograd.gradgradcheck(lambda t: o.var(t, axis=1), (x,), atol=1e-4)


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
    with pytest.raises(onefold.DTypeError):
        onefold.sum(torch.ones(3, dtype=torch.complex64), out=out)


def test_pairs_and_weights_of_other_types_and_shapes():
    x, y = torch.arange(12.0).reshape(4, 3), torch.rand(4, 3, dtype=torch.float64)
    numpy = [a.numpy() for a in (x, y)]
    for axis in None, 0, 1:
        assert torch.equal(torch.as_tensor(onefold.mse(x, y, axis=axis)),
                           torch.as_tensor(onefold.mse(*numpy, axis=axis)))
        assert torch.equal(torch.as_tensor(onefold.mae(x, y[:1], axis=axis)),
                           torch.as_tensor(onefold.mae(numpy[0], numpy[1][:1], axis=axis)))
        there = onefold.mse(x, y.float(), weights=y.abs(), axis=axis)
        here = onefold.mse(numpy[0], numpy[1].astype("f4"), weights=abs(numpy[1]), axis=axis)
        assert torch.equal(torch.as_tensor(there), torch.as_tensor(here))
    short = x.to(torch.bfloat16)  # which NumPy lacks
    assert onefold.mse(short, x).item() == 0 and onefold.mse(short, x).dtype is torch.float32
    assert onefold.average(short, weights=x).item() == onefold.average(x, weights=x).item()
    got = onefold.fold_segments("average,var", short, [0, 2, 4], weights=x[:, 0] + 1)
    assert got.var.dtype is torch.float32
    assert torch.equal(got.var, onefold.fold_segments("var", x, [0, 2, 4], weights=x[:, 0] + 1).var)
    for wrong, message in ((lambda: onefold.mse(x, y[:3, :2]), "do not broadcast"),
                           (lambda: onefold.fold("dot", x, y[:1]), "they must agree"),
                           (lambda: onefold.mse(torch.tensor([2**53 + 1]), y[0]), "no common type holds")):
        with pytest.raises(onefold.Error, match=message):
            wrong()


@pytest.mark.parametrize("a, b", [((5, 7), (7, 3)), ((7,), (7, 3)), ((5, 7), (7,)), ((7,), (7,)),
                                  ((2, 5, 7), (7, 3)), ((1, 5, 7), (4, 7, 3)), ((4, 1, 5, 7), (3, 7, 2)), ((7,), (2, 7, 3))])
def test_products_of_matrices_have_gradients_rounded_once(a, b):
    torch.manual_seed(2)
    a, b = (torch.randn(*shape, dtype=torch.float64, requires_grad=True) for shape in (a, b))
    c = onefold.torch.matmul(a, b)
    weights = torch.randn(c.shape, dtype=torch.float64)
    mine = torch.autograd.grad((c * weights).sum(), (a, b))
    theirs = torch.autograd.grad((torch.matmul(a, b) * weights).sum(), (a, b))
    assert c.shape == torch.matmul(a, b).shape and torch.equal(c, onefold.matmul(a.detach(), b.detach()))
    for ours, torchs in zip(mine, theirs):
        assert ours.shape == torchs.shape and torch.allclose(ours, torchs, rtol=1e-13, atol=1e-13)
    torch.library.opcheck(onefold.torch.matmul, (a, b))


def test_a_gradient_over_a_batch_is_one_exact_product():
    torch.manual_seed(3)
    a, w = torch.randn(8, 4, 5), torch.randn(5, 3, requires_grad=True)
    onefold.torch.matmul(a, w).sum().backward()
    assert torch.equal(w.grad, onefold.matmul(a.reshape(32, 5).T.double(), torch.ones(32, 3).double(), dtype="f32"))
    mixed = torch.empty(2, 3, device="meta"), torch.empty(3, 2, device="meta", dtype=torch.float64)
    assert onefold.torch.matmul(*mixed).dtype == torch.float64


@pytest.mark.parametrize("c, a, b", [((3,), (5, 7), (7, 3)), ((5, 1), (5, 7), (7, 3)), ((5, 3), (5, 7), (7, 3)), ((), (5, 7), (7,)),
                                     ((4, 5, 3), (4, 5, 7), (7, 3)), ((1, 3), (4, 5, 7), (4, 7, 3)), ((5,), (5, 7), (7,))])
def test_sums_with_products_have_gradients(c, a, b):
    torch.manual_seed(4)
    given = [torch.randn(shape, dtype=torch.float64, requires_grad=True) for shape in (c, a, b)]
    for alpha, beta in ((1, 1), (.3, -2), (2, 0)):
        ours = onefold.torch.addmm(*given, alpha=alpha, beta=beta)
        theirs = beta * given[0] + alpha * (given[1] @ given[2])
        assert torch.equal(ours, onefold.addmm(*(x.detach() for x in given), alpha=alpha, beta=beta)) and ours.shape == theirs.shape
        weights = torch.randn(ours.shape, dtype=torch.float64)
        for mine, torchs in zip(*(torch.autograd.grad((y * weights).sum(), given) for y in (ours, theirs))):
            assert mine.shape == torchs.shape and torch.allclose(mine, torchs, rtol=1e-12, atol=1e-12)
        torch.library.opcheck(torch.ops.onefold.addmm, (*given, float(alpha), float(beta)))


def test_factors_that_the_operator_rounds_are_refused():
    one = torch.ones(2, 2, dtype=torch.int64)
    assert onefold.torch.addmm(one, one, one, alpha=2**53, beta=3)[0, 0] == 2**54 + 3
    for factors in ({"alpha": 2**53 + 1}, {"beta": 2**60 + 1}):
        with pytest.raises(ValueError, match="float64 cannot hold"):
            onefold.torch.addmm(one, one, one, **factors)


def test_functions_of_rows_have_gradients_and_are_exact_in_a_model():
    x = torch.randn(3, 5, dtype=torch.float64, requires_grad=True)
    for call in (lambda x: onefold.torch.logsumexp(x, 1), lambda x: onefold.torch.logsumexp(x, 0, True), onefold.torch.softmax,
                 lambda x: onefold.torch.log_softmax(x, 0)):
        assert torch.autograd.gradcheck(call, (x,))
    single = x.detach().float()
    with onefold.torch.exact():
        soft, logs, whole = torch.softmax(single, 1), torch.log_softmax(single, 0), torch.logsumexp(single, (0, 1))
        wide = torch.softmax(single.half(), 1, dtype=torch.float32)
    assert torch.equal(soft, onefold.softmax(single, axis=1)) and torch.equal(logs, onefold.log_softmax(single, axis=0))
    assert whole == onefold.logsumexp(single) and torch.equal(wide, onefold.softmax(single.half().float(), axis=1))
    whole = torch.tensor([[1, 2], [3, 4]])
    for operator in (onefold.torch.softmax, onefold.torch.logsumexp):
        torch.library.opcheck(operator, (whole, 1))
    with onefold.torch.exact(), pytest.raises(NotImplementedError, match="Long"):
        torch.softmax(whole, 1)
