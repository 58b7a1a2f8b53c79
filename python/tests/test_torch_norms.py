"""rms_norm and layer_norm as operators of torch: values, gradients, graphs, and within exact().

Skipped, with the reason, where torch is missing.
"""

import pytest

import onefold

torch = pytest.importorskip("torch", reason="torch is not installed")
import onefold.torch  # noqa: E402

F = torch.nn.functional
NORMS = [(onefold.torch.layer_norm, F.layer_norm, 2), (onefold.torch.rms_norm, F.rms_norm, 1)]


def given(dtype, factors):
    torch.manual_seed(2)
    x = torch.randn(3, 5, 8, dtype=dtype, requires_grad=True)
    return x, [torch.rand(5, 8, dtype=dtype, requires_grad=True) for _ in range(factors)]


@pytest.mark.parametrize("ours, theirs, factors", NORMS)
def test_values_and_gradients_are_those_of_torch(ours, theirs, factors):
    for dtype, near in ((torch.float64, 1e-13), (torch.float32, 1e-5), (torch.bfloat16, 0.1)):
        x, more = given(dtype, factors)
        y, expected = ours(x, (5, 8), *more), theirs(x, (5, 8), *more)
        torch.testing.assert_close(y, expected, rtol=near, atol=near)
        seed = torch.randn_like(y)
        for got, want in zip(torch.autograd.grad(y, (x, *more), seed), torch.autograd.grad(expected, (x, *more), seed)):
            torch.testing.assert_close(got, want, rtol=near, atol=near)
    x, more = given(torch.float64, factors)
    assert torch.autograd.gradcheck(lambda *args: ours(args[0], (5, 8), *args[1:]), (x, *more))
    assert torch.autograd.gradcheck(lambda x: ours(x, (8,)), (x,))


def test_gradients_do_not_depend_on_the_order_of_rows():
    x, (w,) = given(torch.float32, 1)
    seed, order = torch.randn(3, 5, 8), torch.tensor([2, 0, 1])
    of_w = torch.autograd.grad(onefold.torch.rms_norm(x, (5, 8), w), w, seed)[0]
    assert torch.equal(of_w, torch.autograd.grad(onefold.torch.rms_norm(x[order], (5, 8), w), w, seed[order])[0])


def test_graphs_keep_them():
    x, (w,) = given(torch.float32, 1)
    compiled = torch.compile(lambda x, w: 2 * onefold.torch.rms_norm(x, (5, 8), w), fullgraph=True, backend="aot_eager")
    assert torch.equal(compiled(x, w), 2 * onefold.torch.rms_norm(x, (5, 8), w))


def test_exact_takes_torchs_layer_norm():
    layer = torch.nn.LayerNorm(8)
    x = torch.randn(4, 8, requires_grad=True)
    with onefold.torch.exact():
        y = layer(x)
        y.sum().backward()
    assert torch.equal(y, onefold.layer_norm(x.detach(), weight=layer.weight.detach(), bias=layer.bias.detach()))
    assert x.grad is not None and layer.weight.grad is not None
    with onefold.torch.exact():  # of another type, torch's steps
        assert F.layer_norm(x.bfloat16(), (8,), torch.ones(8)).shape == (4, 8)


def test_what_is_wrong_is_said():
    with pytest.raises(onefold.ShapeError, match=r"normalized_shape is \(3,\)"):
        onefold.torch.rms_norm(torch.ones(2, 4), (3,))
