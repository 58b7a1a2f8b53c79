"""torch's reductions within onefold.torch.exact(), on the samples that torch tests its own with.

Those are in the torch package: shapes, axes, keepdim, dtype=, corrections, weights, empty tensors and errors.
"""

import importlib
import pathlib

import pytest

import notebook
import onefold

torch = pytest.importorskip("torch", exc_type=ImportError, reason="torch is not installed")
F = torch.nn.functional

import onefold.torch  # noqa: E402

NAMES = ["sum", "nansum", "mean", "var", "std", "var_mean", "std_mean", "amax", "amin", "norm",
         "linalg.vector_norm", "cumsum", "index_add", "scatter_add", "scatter_reduce",
         "scatter", "index_put", "put", "index_reduce", "gather", "take", "index_select", "_segment_reduce", "mm", "bmm",
         "mv", "dot", "addmm", "addmv", "baddbmm", "matmul", "softmax", "log_softmax", "logsumexp", "nn.functional.layer_norm", "nn.functional.group_norm",
         "nn.functional.embedding", "nn.functional.rms_norm", "nn.functional.batch_norm", "nn.functional.linear",
         "nn.functional.mse_loss", "nn.functional.cross_entropy", "nn.functional.scaled_dot_product_attention"]


NEAR = {torch.float64: 1e-10, torch.float32: 1e-4, torch.bfloat16: .1}


def infos(name):
    pytest.importorskip("expecttest", reason="torch's tests need it")
    from torch.testing._internal.common_methods_invocations import op_db

    return [info for info in op_db if info.name == name]


def outcome(call):
    try:
        return call()
    except (RuntimeError, IndexError, ValueError, TypeError) as error:
        return type(error)


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32, torch.bfloat16])
@pytest.mark.parametrize("name", NAMES)
def test_torchs_own_samples_have_torchs_answers(name, dtype):
    tested = 0
    for info in infos(name):
        if dtype not in info.supported_dtypes("cpu"):
            continue
        for sample in info.sample_inputs("cpu", dtype):
            if sample.kwargs.get("dropout_p"):
                continue  # draws random numbers

            def call():
                given = sample.input.clone() if isinstance(sample.input, torch.Tensor) else sample.input
                return info.op(given, *sample.args, **sample.kwargs)  # noqa: B023

            theirs = outcome(call)
            with onefold.torch.exact():
                ours = outcome(call)
            if isinstance(theirs, type):
                assert ours is theirs, sample
            else:
                torch.testing.assert_close(ours, theirs, equal_nan=True, rtol=NEAR[dtype], atol=NEAR[dtype])
            tested += 1
    assert tested


def model(training=True, layers=2, width=32, heads=4, words=50):
    """A small language model of torch's own layers; its logits and parameters."""
    torch.manual_seed(0)
    embedding, head = torch.nn.Embedding(words, width), torch.nn.Linear(width, words)
    blocks = torch.nn.TransformerEncoder(
        torch.nn.TransformerEncoderLayer(width, heads, 64, dropout=0, batch_first=True, norm_first=True), layers,
        enable_nested_tensor=False).train(training)

    def logits(tokens):
        return head(blocks(embedding(tokens)).mean(1))

    return logits, [*embedding.parameters(), *blocks.parameters(), *head.parameters()]


class Ran(torch.utils._python_dispatch.TorchDispatchMode):
    """Records the reductions of floats that torch computes itself."""

    def __init__(self):
        super().__init__()
        self.names = set()

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        tagged = getattr(torch.Tag, "reduction", None) in func.tags or "prims" in str(func)
        if tagged and args[0].is_floating_point():
            self.names.add(str(func.overloadpacket))
        return func(*args, **kwargs or {})


def test_a_model_has_no_reduction_of_torchs_left():
    logits, parameters = model()
    tokens = torch.randint(50, (4, 5))
    with Ran() as ran, onefold.torch.exact():
        torch.nn.functional.cross_entropy(logits(tokens), tokens[:, 0]).backward()
        torch.nn.utils.clip_grad_norm_(parameters, 1.0)
    assert ran.names <= {"aten.any", "aten.all"}


@pytest.mark.parametrize("training", [True, False])
def test_logits_do_not_depend_on_the_batch(training):
    logits, _ = model(training)
    tokens = torch.randint(50, (24, 12), generator=torch.Generator().manual_seed(1))
    with torch.no_grad(), onefold.torch.exact():
        whole = logits(tokens)
        for rows in (tokens[:1], tokens[:7], tokens[5:6], tokens[3:20]):
            at = int((tokens == rows[0]).all(1).nonzero()[0])
            assert torch.equal(logits(rows), whole[at:at + len(rows)])
    plain = logits(tokens)
    torch.testing.assert_close(whole, plain, rtol=1e-4, atol=1e-4)


def test_a_batch_may_come_in_any_order_and_in_parts_of_a_sum_of_losses():
    logits, parameters = model()
    tokens = torch.randint(50, (16, 6), generator=torch.Generator().manual_seed(2))
    target = torch.arange(16) % 50
    order = torch.randperm(16, generator=torch.Generator().manual_seed(3))

    def gradients(tokens, target):
        loss = torch.nn.functional.cross_entropy(logits(tokens), target)
        return [loss.detach(), *torch.autograd.grad(loss, parameters)]

    with onefold.torch.exact():
        ours = [gradients(tokens, target), gradients(tokens[order], target[order])]
    assert all(torch.equal(a, b) for a, b in zip(*ours))
    for a, b in zip(ours[0], gradients(tokens, target)):
        torch.testing.assert_close(a, b, rtol=1e-3, atol=1e-5)


def test_answers_within_are_those_of_onefold():
    x = torch.randn(40, 30)
    out = torch.empty(30)
    with onefold.torch.exact():
        for theirs, ours in ((x.sum(), "sum"), (x.mean(), "mean"), (x.amax(), "max"), (x.norm(), "norm2"),
                             (x.double().sum(), "sum")):
            want = getattr(onefold, ours)(x.double() if theirs.dtype == torch.float64 else x)
            assert torch.equal(theirs, want)
        assert torch.equal(x.std(1), onefold.std(x, axis=1, ddof=1))
        assert torch.sum(x, 0, out=out) is out and torch.equal(out, onefold.sum(x, axis=0))
        assert torch.equal(x @ x.T, onefold.vecdot(x[:, None], x[None]))
        index = torch.randint(5, (40,))
        added = torch.zeros(5, 30).index_add(0, index, x)
        assert torch.equal(torch.zeros(5, 30).index_add_(0, index.flip(0), x.flip(0)), added)
        parts = torch.segment_reduce(x, "mean", lengths=torch.tensor([10, 0, 30]))
        assert torch.equal(parts[2], onefold.mean(x[10:], axis=0)) and parts[1].isnan().all()
        assert torch.arange(5).sum() == 10  # torch computes sums of integers
    assert x.sum() == torch.sum(x)  # outside the block torch is unchanged


def test_products_that_torch_refuses_are_refused_by_torch():
    o, z = torch.ones, torch.zeros
    calls = [lambda: torch.addbmm(z(2, 2), o(6, 2, 3), o(3, 6, 2)), lambda: torch.addmm(z(2, 2), o(2, 2, 2), o(2, 2, 2)),
             lambda: torch.mm(o(2, 2, 2), o(2, 2, 2)), lambda: torch.mm(o(2, 2), o(2, 2).double()), lambda: torch.bmm(o(2, 2), o(2, 2)),
             lambda: torch.bmm(o(1, 2, 2), o(3, 2, 2)), lambda: torch.baddbmm(z(2, 2), o(1, 2, 2), o(5, 2, 2)),
             lambda: torch.addmv(z(2), o(2, 2, 2), o(2)), lambda: torch.addmm(z(3, 2), o(2, 2), o(2, 2)),
             lambda: torch.mv(o(2, 3), o(2)), lambda: torch.dot(o(2), o(3)), lambda: torch.addmm(z(2, 2).half(), o(2, 2), o(2, 2)),
             lambda: torch.addmm(z(2, 2), o(2, 2), o(2, 2), out=z(2, 2).double())]
    for k, call in enumerate(calls):
        with pytest.raises(RuntimeError) as plain:
            call()
        with onefold.torch.exact(), pytest.raises(RuntimeError) as within:
            call()
        assert str(within.value) == str(plain.value), k
    x = torch.randn(4, 3)
    with onefold.torch.exact():
        assert torch.addmm(torch.randn(5), x, torch.randn(3, 5), out=torch.empty(0)).shape == (4, 5)


def test_gradients_within_are_gradients():
    x = torch.randn(4, 5, dtype=torch.float64, requires_grad=True)
    with onefold.torch.exact():
        for f in (lambda t: t.sum(0), lambda t: t.mean(), lambda t: t.var(1), lambda t: t.norm(dim=0),
                  lambda t: t.amax(1), lambda t: torch.softmax(t, 1), lambda t: t @ t.T,
                  lambda t: torch.nn.functional.layer_norm(t, (5,)),
                  lambda t: t.index_add(0, torch.tensor([1, 1]), t[:2])):
            assert torch.autograd.gradcheck(f, (x,))


def test_the_notebook_prints_what_it_keeps():
    importlib.reload(notebook)
    wrong, whole = notebook.differences(pathlib.Path(__file__).parents[2] / "docs" / "batch_invariance.ipynb")
    assert wrong == []
    assert sum("varies" in cell["metadata"].get("tags", ()) for cell in whole["cells"]) == 2


def test_what_is_not_folded_is_torchs():
    @torch.library.custom_op("onefold_test::seven", mutates_args=())
    def seven() -> torch.Tensor:
        return torch.full((), 7.0)

    x, wide = torch.tensor([1.0, 2.0**-30]), torch.empty(0, dtype=torch.float64)
    sparse = torch.eye(3).to_sparse()
    calls = [lambda: torch.sum(x, 0, out=wide.clone()), lambda: torch.logsumexp(x, 0, out=wide.clone()),
             lambda: torch.cumsum(x, 0, out=wide.clone()), lambda: torch.var(x, 0, correction=2), lambda: torch.std(x, 0, correction=3),
             lambda: sparse.sum(), lambda: sparse @ torch.ones(3, 2), lambda: torch.ones(2, 3) @ sparse, seven]
    for call in calls:
        theirs = call()
        with onefold.torch.exact():
            assert torch.equal(call().to_dense() if call().is_sparse else call(), theirs.to_dense() if theirs.is_sparse else theirs)
    with torch._subclasses.FakeTensorMode(), onefold.torch.exact():
        assert torch.ones(3).sum().shape == ()
