"""onefold.torch on a CUDA device: gradients, operators, torch's own reductions within exact().

Skipped, with the reason, where torch or a device is missing.
"""

import pytest

import onefold

torch = pytest.importorskip("torch", reason="torch is not installed")
if not torch.cuda.is_available():
    pytest.skip("no CUDA device", allow_module_level=True)

import onefold.torch  # noqa: E402


def test_sums_means_variances_and_norms_have_gradients():
    x = torch.randn(50, dtype=torch.float64, device="cuda", requires_grad=True)
    for ours, theirs in [
            (onefold.torch.sum, torch.sum), (onefold.torch.mean, torch.mean),
            (lambda t: onefold.torch.var(t, ddof=1), torch.var),
            (onefold.torch.norm2, torch.linalg.vector_norm)]:
        assert torch.autograd.gradcheck(ours, (x,))
        mine, = torch.autograd.grad(ours(x) * 3, x)
        other, = torch.autograd.grad(theirs(x) * 3, x)
        torch.testing.assert_close(mine, other)
    with pytest.raises(RuntimeError, match="autograd"):
        onefold.torch.sumsq(x).backward()
    with pytest.raises(onefold.UnsupportedError, match="propagate"):
        onefold.torch.sum(x, nan="omit").backward()
    zero = torch.zeros(3, device="cuda", requires_grad=True)
    onefold.torch.norm2(zero).backward()
    assert zero.grad.tolist() == [0, 0, 0]


def test_folds_along_axes_are_planned_once_and_right_each_time():
    from onefold.reduce import tensors

    asked = [("sum", {"axis": 1}), ("sum", {"axis": (0, 2), "keepdims": True}), ("var", {"axis": 0, "ddof": 1}),
             ("mean", {"keepdims": True}), ("max", {"axis": -1}), ("norm2", {"axis": 1, "dtype": torch.float64})]
    for _ in range(3):
        for layout in (lambda t: t, lambda t: t.transpose(0, 2), lambda t: t[:, ::2], lambda t: t[1:]):
            x = layout(torch.randn(5, 6, 70, device="cuda"))
            for op, keywords in asked:
                there, here = getattr(onefold, op)(x, **keywords), getattr(onefold, op)(x.cpu(), **keywords)
                assert there.shape == here.shape and torch.equal(there.cpu(), here), (op, keywords, x.shape)
            y = layout(torch.randn(5, 6, 70, device="cuda"))
            assert torch.equal(onefold.mse(x, y, axis=1).cpu(), onefold.mse(x.cpu(), y.cpu(), axis=1))
    assert len(tensors._plans) >= 4 * len(asked)
    side = torch.cuda.Stream()
    x = torch.randn(100, 300, device="cuda")
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        answer = onefold.sum(x, axis=1)
    side.synchronize()
    assert torch.equal(answer.cpu(), onefold.sum(x.cpu(), axis=1))
    with pytest.raises(onefold.Error, match="axis"):
        onefold.sum(x, axis=7)
    tensors._plans.clear()
    graph = torch.cuda.CUDAGraph()
    onefold.sum(x, axis=0)
    with torch.cuda.graph(graph):
        captured = onefold.sum(x, axis=0)
    x.normal_()
    graph.replay()
    assert torch.equal(captured.cpu(), onefold.sum(x.cpu(), axis=0))


def test_kept_plans_of_several_ops_and_of_segments_are_right_each_time():
    from onefold.reduce import tensors

    def agree(there, here):
        assert type(there) is type(here) and there._fields == here._fields
        for a, b in zip(there, here):
            assert a.dtype == b.dtype and torch.equal(a.cpu(), b)

    onefold.fold("mean,var", torch.ones(3, device="cuda"))  # the first call of a process keeps no plan
    tensors._plans.clear()
    for seed in range(3):
        x, y = torch.randn(2, 40, 9, device="cuda")
        agree(onefold.fold("mean,var", x, axis=0, ddof=1), onefold.fold("mean,var", x.cpu(), axis=0, ddof=1))
        agree(onefold.fold("mse,mae", x, y, axis=1), onefold.fold("mse,mae", x.cpu(), y.cpu(), axis=1))
        agree(onefold.fold(["max"], x, keepdims=True), onefold.fold(["max"], x.cpu(), keepdims=True))
        mask, w = torch.rand(40, 9, device="cuda") < 0.5, torch.rand(40, 9, device="cuda")
        mask[:, 0] = True  # a row of no elements has NaN, which equals nothing
        half = torch.randn(40, 9, device="cuda").half()
        for op, data, keywords in [
                ("sum", (x,), {"axis": 1, "where": mask}), ("mean", (x,), {"where": mask[:, :1]}),
                ("mse", (x, y), {"axis": 0, "where": mask}), ("var", (x,), {"axis": 0, "weights": w}),
                ("average", (x,), {"axis": 1, "weights": w, "where": mask}), ("mse", (x, y), {"weights": w[:1]}),
                ("mean", (x,), {"axis": 0, "weights": w}), ("var", (x,), {"axis": 0, "weights": w[:, 0]}),
                ("var", (x,), {"axis": 0, "weights": half}), ("nansum", (x,), {"axis": 0, "where": mask})]:
            beside = {name: v.cpu() if isinstance(v, torch.Tensor) else v for name, v in keywords.items()}
            here = getattr(onefold, op)(*(a.cpu() for a in data), **beside)
            there = getattr(onefold, op)(*data, **keywords)
            assert torch.equal(there.cpu(), torch.as_tensor(here)), (op, keywords.keys())
        agree(onefold.fold("sum,max", x, axis=0, where=mask),
              onefold.fold("sum,max", x.cpu(), axis=0, where=mask.cpu()))
        wide = y.double() / 3
        for left, right in (x, wide), (wide, x), (x, y[:1]), (x[:, :1], y), (x.half(), x):
            both = [a.cpu().double().numpy() for a in (left, right)]
            assert torch.equal(onefold.mse(left, right, axis=0, dtype="f64").cpu(),
                               torch.as_tensor(onefold.mse(*both, axis=0))), (left.shape, right.dtype)
            here, = onefold.fold("mae", *both, axis=1)
            assert torch.equal(onefold.fold("mae", left, right, axis=1, result="f64").mae.cpu(), torch.as_tensor(here))
        cuts = torch.tensor([0, 9, 40], device="cuda")
        value, status = onefold.fold_segments("mse", x, cuts, y=wide, errors="defer").mse
        here = onefold.fold_segments("mse", x.cpu().double(), cuts.cpu(), y=wide.cpu()).mse
        assert torch.equal(value.cpu(), here) and not status.any()
        agree(onefold.fold("mse,corr", x, y, axis=0, weights=w),
              onefold.fold("mse,corr", x.cpu(), y.cpu(), axis=0, weights=w.cpu()))
        cuts = torch.tensor([0, 3 + seed, 20, 40], device="cuda")
        for ops, second in ("sum", None), ("sum,max", None), ("dot", y):
            beside = {} if second is None else {"y": second.cpu()}
            here = onefold.fold_segments(ops, x.cpu(), cuts.cpu(), **beside)
            there = onefold.fold_segments(ops, x, cuts, y=second, errors="defer")
            assert type(there)._fields == type(here)._fields
            for (value, status), expected in zip(there, here):
                assert torch.equal(value.cpu(), expected) and status.shape == value.shape and not status.any()
        for ops in "sum", "sum,max":
            for _, status in onefold.fold_segments(ops, x, torch.tensor([0, 9, 4, 41], device="cuda"), errors="defer"):
                assert status[:, 0].tolist() == [0, 4, 4]
        kept = len(tensors._plans)
        assert seed == 0 or kept == before, (kept, before)
        before = kept
    with pytest.raises(onefold.Error, match="no op"):
        onefold.fold("sume", x)
    with pytest.raises(onefold.Error, match="offsets"):
        onefold.fold_segments("sum", x, torch.tensor([0.5], device="cuda"), errors="defer")
    graph, cuts = torch.cuda.CUDAGraph(), torch.tensor([0, 7, 40], device="cuda")
    onefold.fold_segments("sum", x, cuts, errors="defer")
    with torch.cuda.graph(graph):
        captured, = onefold.fold_segments("sum", x, cuts, errors="defer")
    x.normal_()
    cuts[1] = 30
    graph.replay()
    assert torch.equal(captured[0].cpu(), onefold.fold_segments("sum", x.cpu(), cuts.cpu()).sum)


def test_custom_operators_survive_compile():
    x = torch.randn(1000, device="cuda")

    @torch.compile(fullgraph=True, backend="eager")
    def f(x):
        return onefold.torch.var(x * 2, ddof=1)

    assert torch.equal(f(x), onefold.var(x * 2, ddof=1))
    torch.library.opcheck(torch.ops.onefold.sum.default, (x, None, False, 0.0, "propagate"))


def test_torchs_own_reductions_are_exact_within():
    x = torch.randn(60, 100, device="cuda") * 30
    weight = torch.randn(30, 100, device="cuda")
    index = torch.arange(60, device="cuda") % 7

    def answers(x, weight, index):
        soft = torch.softmax(x / 30, -1)
        return (x.sum(0), x.var(1), x.norm(), x.amax(0), torch.nn.functional.linear(x, weight), soft.sum(0),
                torch.zeros(7, 100, device=x.device).index_add(0, index, x), torch.nn.functional.layer_norm(x, (100,)))

    with onefold.torch.exact():
        ours, cpu = answers(x, weight, index), answers(x.cpu(), weight.cpu(), index.cpu())
        for k in (0, 1, 2, 3, 4, 6):  # soft and layer_norm have other steps, which torch computes
            assert ours[k].is_cuda and torch.equal(ours[k].cpu(), cpu[k]), k
        for k in (4, 7):
            assert torch.equal(answers(x[9:10], weight, index[9:10])[k], ours[k][9:10])


def test_sums_at_places_and_norms_have_the_bits_of_the_processor():
    torch.manual_seed(5)
    o = onefold.torch
    for dtype in (torch.float32, torch.float64, torch.float16, torch.bfloat16):
        for n, groups in ((3000, 7), (100_000, 50_000)):
            x, source = torch.randn(groups, 3).to(dtype), (torch.randn(n, 3) * 100).to(dtype)
            index, order = torch.randint(groups, (n,)), torch.randperm(n)
            wide = index[:, None].expand(n, 3)

            def answers(x, index, wide, source):
                yield o.index_add(x, 0, index, source)
                yield o.scatter_add(x, 0, wide, source)
                yield o.bincount(index, source[:, 0], groups)  # noqa: B023
                with o.exact():
                    yield x.scatter_reduce(0, wide, source, "mean", include_self=False)
                    yield x.index_put((index - groups,), source, accumulate=True)  # noqa: B023
                    yield x.clone().put_(index, source[:, 1], accumulate=True)
                    leaf = x.clone().requires_grad_()
                    yield torch.autograd.grad(leaf[index], leaf, source)[0]
                    yield torch.autograd.grad(torch.nn.functional.embedding(index, leaf), leaf, source)[0]

            here = list(answers(x, index, wide, source))
            for given in ((x, index, wide, source), (x, index[order], wide[order], source[order])):
                for there, want in zip(answers(*(t.cuda() for t in given)), here):
                    assert there.is_cuda and torch.equal(there.cpu(), want), (dtype, n)
    kept = torch.zeros(3, device="cuda")
    outside, terms = torch.tensor([0, 3], device="cuda"), torch.ones(2, device="cuda")
    for call in (lambda: o.index_add(kept, 0, outside, terms), lambda: o.scatter_add(kept, 0, outside, terms),
                 lambda: o.index_add(kept, 0, torch.tensor([0, 1]), terms)):
        with pytest.raises((IndexError, RuntimeError), match="out of bounds|same device"):
            call()
    with pytest.raises(onefold.OverflowError, match="torch.int8"):
        o.index_add(kept.to(torch.int8), 0, outside * 0, (terms * 100).to(torch.int8))
    tensors = [torch.randn(shape) * 1000 for shape in ((), (0,), (300, 70), (5_000_000,), (4_200_000, 2))]
    for some in (tensors[:3], tensors, [tensors[3], *tensors[:2]], [t.bfloat16() for t in tensors], [tensors[2], tensors[3].double()]):
        assert torch.equal(o.norm2_of([t.cuda() for t in some]).cpu(), o.norm2_of(some))
    torch.cuda.synchronize()  # the device still works
