"""Sums at places of tensors: onefold.torch.index_add, scatter_add, bincount, and what torch makes of them within exact().

Skipped, with the reason, where torch is missing.
"""

import itertools
import math
from fractions import Fraction

import pytest

import onefold

torch = pytest.importorskip("torch", exc_type=ImportError, reason="torch is not installed")

import onefold.torch  # noqa: E402

FLOATS = [torch.float64, torch.float32, torch.float16, torch.bfloat16]


def rounded(value, dtype):
    """A fraction as the nearest number of a type, ties to even."""
    if value == 0:
        return 0.0
    facts, (up, down) = torch.finfo(dtype), value.as_integer_ratio()
    exponent = abs(up).bit_length() - down.bit_length()
    exponent -= abs(value) < Fraction(2) ** exponent
    least = max(exponent, round(math.log2(facts.smallest_normal))) + round(math.log2(facts.eps))
    return float(round(value / Fraction(2) ** least) * Fraction(2) ** least)


def expected(x, places, source, op="sum", keep=True):
    """x with the exact sums or means of what lies at each place; lists of numbers in C order."""
    at = [[Fraction(v)] if keep else [] for v in x.reshape(-1).tolist()]
    for place, value in zip(places.reshape(-1).tolist(), source.reshape(-1).tolist()):
        at[place].append(Fraction(value))
    own = x.reshape(-1).tolist()
    found = [rounded(sum(terms) / (len(terms) if op == "mean" else 1), x.dtype) if terms else own[k]
             for k, terms in enumerate(at)]
    return torch.tensor(found, dtype=torch.float64).to(x.dtype).reshape(x.shape)


def mixed(*shape, dtype):
    """Numbers of many magnitudes and both signs, whose plain sums depend on the order."""
    signs = torch.randn(*shape, dtype=torch.float64)
    return (signs * torch.exp2(torch.randint(-8, 9, shape))).to(dtype)


def bits(x):
    return x.contiguous().view(torch.uint8) if x.ndim else x.reshape(1).view(torch.uint8)


@pytest.mark.parametrize("dtype", FLOATS)
def test_each_element_is_the_fold_of_all_at_its_place_in_any_order(dtype):
    torch.manual_seed(1)
    places = torch.arange(60).reshape(3, 4, 5)
    x = mixed(3, 4, 5, dtype=dtype)
    for dim, layout in itertools.product((0, 1, -1), (lambda t: t, lambda t: t.transpose(0, 2))):
        base, own = layout(x), layout(places)
        own = torch.arange(60).reshape(base.shape)
        shape = list(base.shape)
        shape[dim] = 40
        source, order = layout(mixed(*layout(torch.empty(shape)).shape, dtype=dtype)), torch.randperm(40)
        index = torch.randint(base.shape[dim], (40,))
        at = own.index_select(dim, index)
        want = expected(base, at, source)
        for one in (index, index.int()):
            assert torch.equal(onefold.torch.index_add(base, dim, one, source), want)
        assert torch.equal(bits(onefold.torch.index_add(base, dim, index[order], source.index_select(dim, order))), bits(want))
        some = torch.randint(base.shape[dim], shape)
        some, used = some[:2, :3], source[:2, :3]  # smaller than the source and than base
        assert torch.equal(onefold.torch.scatter_add(base, dim, some, source),
                           expected(base, own[:some.shape[0] if dim % 3 else None, :some.shape[1] if dim % 3 != 1 else None].gather(
                               dim, some), used))
        with onefold.torch.exact():
            assert torch.equal(torch.index_add(base, dim, index, source), want)
            assert torch.equal(base.clone().index_add_(dim, index, source), want)
            for keep in (True, False):
                mean = expected(base, at, source, "mean", keep)
                assert torch.equal(base.index_reduce(dim, index, source, "mean", include_self=keep), mean)
                wide = index.reshape([-1 if d == dim % 3 else 1 for d in range(3)]).expand(source.shape)
                assert torch.equal(base.scatter_reduce(dim, wide, source, "mean", include_self=keep), mean)
                assert torch.equal(base.scatter_reduce(dim, wide, source, "sum", include_self=keep),
                                   expected(base, at, source, "sum", keep))


@pytest.mark.parametrize("dtype", FLOATS)
def test_indices_that_accumulate_are_exact_within(dtype):
    torch.manual_seed(2)
    x, own = mixed(4, 5, dtype=dtype), torch.arange(20).reshape(4, 5)
    rows, columns = torch.randint(-4, 4, (30,)), torch.randint(5, (30,))
    values, mask = mixed(30, dtype=dtype), torch.rand(4, 5) > 0.5
    with onefold.torch.exact():
        assert torch.equal(x.index_put((rows, columns), values, accumulate=True), expected(x, own[rows, columns], values))
        assert torch.equal(x.index_put((rows,), values[:5], accumulate=True),
                           expected(x, own[rows], values[:5].expand(30, 5)))
        assert torch.equal(x.clone().index_put_((mask,), values[:1], accumulate=True),
                           expected(x, own[mask], values[:1].expand(int(mask.sum()))))
        assert torch.equal(x.clone().put_(rows, values, accumulate=True), expected(x, own.take(rows), values))
        assert torch.equal(x.scatter(0, rows.abs()[:3, None] % 4, 0.1, reduce="add"),
                           expected(x, own[rows.abs()[:3] % 4, 0], x.new_full((3,), 0.1)))
        theirs = torch.index_put(x, (rows,), values[0])  # the last one stays: torch's
    assert theirs.shape == x.shape


def test_gradients_of_what_gathers_are_exact():
    torch.manual_seed(3)
    x, own = mixed(6, 4, dtype=torch.float32).requires_grad_(), torch.arange(24).reshape(6, 4)
    index, order = torch.randint(6, (50,)), torch.randperm(50)
    gathers = [(lambda i: x[i], own), (lambda i: x.index_select(0, i), own), (lambda i: torch.nn.functional.embedding(i, x), own),
               (lambda i: x.gather(0, i[:, None].expand(50, 4)), own),
               (lambda i: x.take(own[i]), own)]
    seed = mixed(50, 4, dtype=torch.float32)
    want = expected(torch.zeros(6, 4), own[index], seed)
    with onefold.torch.exact():
        for gather, _ in gathers:
            for i, grad in ((index, seed), (index[order], seed[order])):
                assert torch.equal(torch.autograd.grad(gather(i), x, grad)[0], want)


def test_bins_of_weights_are_exact():
    torch.manual_seed(4)
    bins = torch.randint(7, (200,))
    for dtype in FLOATS:
        weights = mixed(200, dtype=dtype)
        kind = dtype if dtype == torch.float32 else torch.float64
        want = expected(torch.zeros(9, dtype=kind), bins, weights)
        assert torch.equal(onefold.torch.bincount(bins, weights, 9), want)
        assert torch.equal(onefold.torch.bincount(bins.to(torch.uint8), weights), want[:int(bins.max()) + 1])
        with onefold.torch.exact():
            assert torch.equal(torch.bincount(bins, weights, 9), want)
    assert torch.equal(onefold.torch.bincount(bins), torch.bincount(bins))
    large = torch.tensor([2**53, 1, 1])  # each double of these would lose the ones
    assert onefold.torch.bincount(torch.zeros(3, dtype=torch.int64), large).tolist() == [2.0**53 + 2]
    nothing = torch.zeros(0, dtype=torch.int64)
    for weights in (None, nothing.float(), nothing):
        ours, theirs = onefold.torch.bincount(nothing, weights, 3), torch.bincount(nothing, weights, 3)
        assert torch.equal(ours, theirs.to(ours.dtype)) and len(ours) == 3


def test_zeros_infinities_and_nan_are_those_of_a_sum():
    x = torch.tensor([-0.0, -0.0, 0.0, 1.0, 2.0, math.nan])
    index = torch.tensor([1, 2, 3, 3, 4, 4])
    source = torch.tensor([-0.0, -0.0, math.inf, 1.0, math.inf, -math.inf])
    for add in (lambda: onefold.torch.index_add(x, 0, index, source), lambda: onefold.torch.scatter_add(x, 0, index, source)):
        answer = add()
        assert answer[:3].signbit().tolist() == [True, True, False]
        assert answer[3] == math.inf and answer[4:].isnan().all()


def test_integers_are_exact_and_never_wrap():
    index = torch.tensor([0, 0, 2])
    for dtype in (torch.int8, torch.uint8, torch.int16, torch.int32, torch.int64):
        x, source = torch.tensor([3, 4, 5], dtype=dtype), torch.tensor([50, 60, 7], dtype=dtype)
        for ours, theirs in ((onefold.torch.index_add, torch.index_add), (onefold.torch.scatter_add, torch.scatter_add)):
            assert torch.equal(ours(x, 0, index, source), theirs(x, 0, index, source))
            most = torch.full((3,), torch.iinfo(dtype).max, dtype=dtype)
            with pytest.raises(onefold.OverflowError, match=f"overflows {dtype}"):
                ours(x, 0, index, most)
    flags = torch.tensor([False, True, False])
    assert torch.equal(onefold.torch.index_add(flags, 0, index, flags), torch.index_add(flags, 0, index, flags))
    z = torch.tensor([1 + 2j, 3j, 1e30 - 1j], dtype=torch.complex64)
    terms = torch.tensor([1e30, -1e30 + 1j, 5], dtype=torch.complex64)
    assert torch.equal(onefold.torch.index_add(z, 0, index, terms)[:2], torch.tensor([1 + 3j, 3j]))


def test_small_shapes_are_as_torchs():
    tensor, none = torch.tensor, torch.zeros(0, dtype=torch.int64)
    one = tensor(1.5)
    for args in ((one, 0, tensor(0), one), (one, 0, tensor([0]), one), (torch.ones(0, 4), 0, none, torch.ones(0, 4)),
                 (torch.ones(3, 0), 0, tensor([2]), torch.ones(1, 0)), (torch.ones(3, 4), -1, none, torch.ones(3, 0))):
        assert torch.equal(onefold.torch.index_add(*args), torch.index_add(*args))
    for args in ((one, 0, tensor(0), one), (torch.ones(3), 0, tensor(1), one), (one, 0, tensor([0, 0]), torch.ones(3)),
                 (torch.ones(3, 4), 0, none, torch.ones(7)), (torch.ones(3, 1), 0, tensor([[1], [1]]), torch.ones(2, 5))):
        assert torch.equal(onefold.torch.scatter_add(*args), torch.scatter_add(*args))
    x = torch.ones(4)
    assert torch.equal(onefold.torch.index_add(x, 0, tensor([1]), one.reshape(1), alpha=2), tensor([1., 4, 1, 1]))
    long, two = torch.randn(100, 3), torch.tensor([7, 7])  # few of many places
    long[0, 0] = -0.0
    for wide, source in ((long, torch.ones(2, 3)), (long.T, torch.ones(3, 2))):
        dim = wide.shape.index(100)
        want = expected(wide, torch.arange(300).reshape(wide.shape).index_select(dim, two), source)
        answer = onefold.torch.index_add(wide, dim, two.int(), source)
        assert torch.equal(answer, want) and answer[0, 0].signbit()
    assert onefold.torch.index_add(x, 0, none, torch.ones(0)).data_ptr() != x.data_ptr()


def test_what_is_wrong_is_said_as_torch_says_it():
    index, x, source = torch.tensor([0, 3]), torch.zeros(3, 4), torch.ones(2, 4)
    ok = torch.tensor([0, 1])
    wrong = {
        "index_add": [(x, 0, index, source), (x, 2, ok, source), (x, 0, ok, source.double()), (x, 0, ok, torch.ones(2, 5)),
                      (x, 0, ok, torch.ones(3, 4)), (x, 0, ok[None], source), (x, 0, ok.float(), source), (x, 0, ok - 1, source),
                      (torch.zeros(()), 0, ok[:1], torch.ones(1))],
        "scatter_add": [(x, 0, index[:, None], source), (x, 2, ok[:, None], source), (x, 0, ok[:, None], source.double()),
                        (x, 0, ok, source), (x, 0, torch.zeros(2, 5, dtype=torch.int64), torch.ones(2, 5)),
                        (x, 0, ok[:, None].float(), source), (x, 0, ok[:, None] - 1, source),
                        (x, 1, torch.zeros(2, 5, dtype=torch.int64), source)],
        "bincount": [(ok - 1,), (ok[None],), (ok, torch.ones(3)), (ok, None, -1), (ok, torch.ones(1, 2))]}
    for name, calls in wrong.items():
        for args in calls:
            with pytest.raises((RuntimeError, IndexError)) as theirs:
                getattr(torch, name)(*args)
            with pytest.raises((RuntimeError, IndexError)) as ours:
                getattr(onefold.torch, name)(*args)
            assert "\n" not in str(ours.value)
            # torch's index_add has a RuntimeError for matrices and an IndexError for vectors
            assert type(ours.value) is theirs.type or "is out of bounds for dimension 0" in str(ours.value)
    with pytest.raises(IndexError, match="index 0 is out of bounds for dimension 0 with size 0"):  # torch says nothing
        onefold.torch.index_add(torch.zeros(0, 4), 0, ok[:1], torch.ones(1, 4))
    small = torch.zeros(3).to(torch.float8_e4m3fn)
    with pytest.raises(onefold.UnsupportedError, match="float8_e4m3fn"):
        onefold.torch.index_add(small, 0, ok, small[:2])
    with pytest.raises(onefold.UnsupportedError, match="real and imaginary"):
        onefold.torch.bincount(ok, torch.ones(2) * 1j)
    with onefold.torch.exact():
        kept = torch.zeros(3)
        for call, error in ((lambda: kept.index_add_(0, index, torch.ones(2)), IndexError),
                            (lambda: kept.scatter_add_(0, index, torch.ones(2)), RuntimeError),
                            (lambda: kept.index_put_((index,), torch.ones(2), accumulate=True), IndexError),
                            (lambda: kept.put_(index, torch.ones(2), accumulate=True), IndexError)):
            with pytest.raises(error, match="index 3 is out of bounds for dimension 0 with size 3"):
                call()
            assert not kept.any()
        with pytest.raises(RuntimeError):
            torch.ones(()).index_put([], torch.ones(1), accumulate=True)
        with pytest.raises(RuntimeError, match=r"shape \[2\] cannot be broadcast to indexing result of shape \[3\]"):
            kept.index_put_((torch.tensor([0, 1, 2]),), torch.ones(2), accumulate=True)


def test_they_are_operators_with_gradients():
    x, source = (torch.randn(*shape, dtype=torch.float64, requires_grad=True) for shape in ((3, 4), (5, 4)))
    index = torch.tensor([0, 2, 2, 0, 1])
    wide = index[:3, None].expand(3, 2)
    o = onefold.torch
    assert torch.autograd.gradcheck(lambda x, s: o.index_add(x, 0, index, s, alpha=2.5), (x, source))
    assert torch.autograd.gradcheck(lambda x, s: o.scatter_add(x, 0, wide, s), (x, source))
    assert torch.autograd.gradcheck(lambda w: o.bincount(index, w, 4), (source[:, 0].detach().requires_grad_(),))
    torch.library.opcheck(o.index_add, (x, 0, index, source), {"alpha": 2})
    torch.library.opcheck(o.scatter_add, (x, 0, wide, source))
    compiled = torch.compile(lambda x, s: 2 * o.index_add(x, 0, index, s) + o.scatter_add(x, 0, wide, s), fullgraph=True,
                             backend="aot_eager")
    with torch.no_grad():
        assert torch.equal(compiled(x, source), 2 * o.index_add(x, 0, index, source) + o.scatter_add(x, 0, wide, source))
