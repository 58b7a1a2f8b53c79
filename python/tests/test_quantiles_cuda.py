"""Quantiles on a CUDA device: the CPU's bits, along any axes, on the current stream and in graphs.

Skipped, with the reason, where torch or a device is missing.
"""

import pytest

import onefold

torch = pytest.importorskip("torch", reason="torch is not installed")
if not torch.cuda.is_available():
    pytest.skip("no CUDA device", allow_module_level=True)

TYPES = [torch.float64, torch.float32, torch.float16, torch.bfloat16]
LEVELS = [0, 0.1, 0.5, 0.99, 1, 1 / 3]


def same(ours, cpu):
    assert ours.is_cuda and ours.dtype == cpu.dtype and ours.shape == cpu.shape
    as_bits = {8: torch.int64, 4: torch.int32, 2: torch.int16}[cpu.element_size()]
    assert torch.equal(ours.cpu().view(as_bits), cpu.view(as_bits))


def compare(x, axis=None, q=(0.5,), **keywords):
    same(onefold.quantile(x.cuda(), list(q), axis, **keywords), onefold.quantile(x, list(q), axis, **keywords))
    same(onefold.median(x.cuda(), axis), onefold.median(x, axis))


@pytest.mark.parametrize("dtype", TYPES)
def test_answers_have_the_bits_of_the_cpu(dtype):
    torch.manual_seed(1)
    x = (3 * torch.randn(30, 7, 515)).to(dtype)
    x[3, 2, 5] = float("inf")
    x[4, 1, 5] = float("nan")
    x[5, 0] = 2
    x[6, 0, ::2] = -0.0
    for axis in (-1, 1, 0, (1, 2), (0, 2), None):
        for nan in ("propagate", "omit"):
            compare(x, axis, LEVELS, nan=nan)
    compare(x.mT, 1, LEVELS, keepdims=True)
    compare(x[:, :, ::3], -1, LEVELS, method="hazen")
    for method in ("lower", "nearest", "inverted_cdf", "closest_observation", "weibull", "median_unbiased"):
        compare(x[:3], -1, LEVELS, method=method)


@pytest.mark.parametrize("dtype", TYPES)
def test_long_slices(dtype):
    torch.manual_seed(2)
    for x in (torch.randn(3_000_001), torch.rand(1 << 21), torch.arange(2_000_000) % 5, torch.full((100_000,), 7.0),
              torch.randn(70_000).relu(), torch.linspace(-1, 1, 1_000_003)):
        compare(x.to(dtype), None, LEVELS)
    x = torch.randn(20, 3, 40_000).to(dtype)
    compare(x, -1, LEVELS)
    compare(x, (0, 2), LEVELS)
    x[0, 0, 7] = float("nan")
    compare(x, -1, LEVELS, nan="omit")
    compare(x.mT, 1, LEVELS)


def test_slices_are_those_of_any_batch():
    x = torch.randn(50, 20_000, device="cuda")
    all_at_once = onefold.quantile(x, LEVELS, -1)
    for i in (0, 17, 49):
        same(all_at_once[:, i], onefold.quantile(x[i], LEVELS).cpu())


def test_streams_and_graphs():
    for n in (1000, 100_000):
        x = torch.randn(8, n)
        on_device = x.cuda()
        with torch.cuda.stream(torch.cuda.Stream()) as stream:
            answer = onefold.median(on_device, -1)
        torch.cuda.synchronize()
        same(answer, onefold.median(x, -1))
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            answer = onefold.quantile(on_device, LEVELS, -1)
        on_device.mul_(2)
        graph.replay()
        same(answer, onefold.quantile(2 * x, LEVELS, -1))


@pytest.mark.parametrize("dtype", TYPES)
def test_masked_elements_are_left_out(dtype):
    torch.manual_seed(3)
    x = torch.randn(6, 5, 801).to(dtype)
    x[1, 2, 3] = x[2, 2, :400] = float("nan")
    masks = [torch.rand(x.shape) < share for share in (0.5, 0.01, 0, 1)]
    masks += [torch.rand(801) < 0.5, torch.rand(6, 1, 1) < 0.5, (torch.rand(6, 5, 1602) < 0.5)[..., ::2]]
    for where in masks:
        for axis in (-1, 1, (0, 2), None):
            for nan in ("propagate", "omit"):
                same(onefold.quantile(x.cuda(), LEVELS, axis, nan=nan, where=where.cuda()),
                     onefold.quantile(x, LEVELS, axis, nan=nan, where=where))
    x, where = torch.randn(3_000_000).to(dtype), torch.rand(3_000_000) < 0.3
    same(onefold.quantile(x.cuda(), LEVELS, where=where.cuda()), onefold.quantile(x, LEVELS, where=where))
    x[0] = float("nan")
    where[0] = False
    same(onefold.median(x.cuda(), nan="raise", where=where.cuda()), onefold.median(x, where=where))


def test_masks_in_graphs():
    x, where = torch.randn(3, 100_000, device="cuda"), torch.rand(3, 100_000, device="cuda") < 0.5
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        answer = onefold.median(x, -1, where=where)
    where.logical_not_()
    graph.replay()
    same(answer, onefold.median(x.cpu(), -1, where=where.cpu()))


@pytest.mark.parametrize("dtype", TYPES)
def test_segments_have_the_bits_of_the_cpu(dtype):
    torch.manual_seed(4)
    lengths = torch.randint(0, 2000, (400,))
    lengths[7], lengths[50], lengths[60], lengths[61] = 400_000, 30_000, 100_000, 1
    offsets = torch.cat([torch.tensor([3]), 3 + torch.cumsum(lengths, 0)])
    x = torch.randn(int(offsets[-1]) + 5).to(dtype)
    x[offsets[9]] = x[offsets[50] + 9] = float("nan")
    for where in (None, torch.rand(x.shape) < 0.4):
        for nan in ("propagate", "omit"):
            for cuts in (offsets, offsets.int()):
                ours = onefold.quantile(x.cuda(), LEVELS, nan=nan, offsets=cuts.cuda(),
                                        where=None if where is None else where.cuda())
                same(ours, onefold.quantile(x, LEVELS, nan=nan, where=where, offsets=offsets))
    x = torch.randn(900, 3).to(dtype)
    cuts = torch.tensor([0, 0, 10, 900])
    same(onefold.median(x.cuda(), offsets=cuts.cuda()), onefold.median(x, offsets=cuts))


def test_groups_have_the_bits_of_the_cpu():
    torch.manual_seed(5)
    x = torch.randn(200_000)
    for labels in (torch.randint(-3, 40, x.shape), torch.randint(0, 2, x.shape).bool(), torch.randint(0, 9, x.shape).half()):
        for where in (None, torch.rand(x.shape) < 0.4):
            keys, found = onefold.quantile(x.cuda(), LEVELS, by=labels.cuda(), where=None if where is None else where.cuda())
            cpu_keys, cpu = onefold.quantile(x.numpy(), LEVELS, by=labels.numpy(), where=None if where is None else where.numpy())
            assert keys.cpu().tolist() == cpu_keys.tolist()
            same(found, torch.from_numpy(cpu))


def test_segments_in_graphs():
    x, offsets = torch.randn(50_000, device="cuda"), torch.tensor([0, 10, 40_000, 50_000], device="cuda")
    onefold.median(x, offsets=offsets)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        answer = onefold.median(x, offsets=offsets)
    offsets[1] = 30_000
    graph.replay()
    same(answer, onefold.median(x.cpu(), offsets=offsets.cpu()))


def test_bad_offsets_are_an_error():
    x = torch.randn(5, device="cuda")
    for cuts in ([0, 3, 2], [0, 6], [-1, 2]):
        with pytest.raises(onefold.OptionError, match="the offsets of segment"):
            onefold.median(x, offsets=torch.tensor(cuts, device="cuda"))


@pytest.mark.parametrize("dtype", [torch.int64, torch.int32, torch.int16, torch.int8, torch.uint8, torch.bool])
def test_integers_have_the_bits_of_the_cpu(dtype):
    torch.manual_seed(4)
    x = torch.randint(-100 if dtype.is_signed else 0, 100, (50, 300)).to(dtype)
    if dtype is torch.int64:
        x[0, :2] = torch.tensor([2**53, -2**53])
    there, mask = x.cuda(), x > 3
    for method in ("linear", "lower", "nearest", "hazen"):
        same(onefold.quantile(there, [0.1, 0.5, 1], 1, method=method), onefold.quantile(x, [0.1, 0.5, 1], 1, method=method))
    same(onefold.median(there.T, where=mask.T.cuda()), onefold.median(x.T, where=mask.T))
    offsets = torch.tensor([0, 3, 3, 50])
    same(onefold.median(there[:, 0], offsets=offsets.cuda()), onefold.median(x[:, 0], offsets=offsets))
    keys = x[:, 1].to(torch.int64)
    ours, expected = onefold.median(there[:, 0], by=keys.cuda()), onefold.median(x[:, 0], by=keys)
    assert torch.equal(ours[0].cpu(), torch.as_tensor(expected[0]))
    same(ours[1], torch.as_tensor(expected[1]))


def test_nan_raises():
    x = torch.randn(3, 50, device="cuda")
    x[1, 7] = float("nan")
    with pytest.raises(onefold.NanError):
        onefold.median(x, -1, nan="raise")
    same(onefold.median(x[2], nan="raise"), onefold.median(x[2].cpu()))


def test_no_elements():
    same(onefold.median(torch.empty(3, 0, device="cuda"), -1), onefold.median(torch.empty(3, 0), -1))
    same(onefold.median(torch.empty(0, 3, device="cuda"), -1), onefold.median(torch.empty(0, 3), -1))


@pytest.mark.parametrize("call, error, words", [
    (lambda x: onefold.median(x.long() + 2**53 + 1), onefold.UnsupportedError, "one is beyond 2\\^53"),
    (lambda x: onefold.median((x > 0).to(torch.uint64)), onefold.UnsupportedError, "uint64 is not supported on a device"),
    (lambda x: onefold.median(x, where=x[:, 0] > 0), onefold.ShapeError, "median: where= has shape"),
    (lambda x: onefold.median(x, where=x), onefold.DTypeError, "must be bool"),
    (lambda x: onefold.median(x, where=x.cpu() > 0), onefold.OptionError, "where="),
    (lambda x: onefold.quantile(x, 1.5), onefold.OptionError, "between 0 and 1")])
def test_what_is_not_there_is_refused(call, error, words):
    with pytest.raises(error, match=words):
        call(torch.randn(3, 4, device="cuda"))


WEIGHTS = {"f32": lambda n: torch.rand(n), "f64": lambda n: torch.randn(n).double().exp(), "bf16": lambda n: torch.rand(n).bfloat16(),
           "i32": lambda n: torch.randint(0, 50, (n,), dtype=torch.int32), "bool": lambda n: torch.rand(n) < 0.4,
           "any": lambda n: torch.randn(n).double().mul(150).clamp(-700, 700).exp()}


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("kind", WEIGHTS)
def test_weighted_quantiles_have_the_bits_of_the_cpu(dtype, kind):
    torch.manual_seed(7)
    for shape in ((6, 5, 801), (2, 100_003), (300_001,)):
        x, weights = torch.randn(shape).to(dtype), WEIGHTS[kind](torch.Size(shape).numel()).reshape(shape)
        x.reshape(-1)[3] = float("nan")
        where = torch.rand(shape) < 0.5
        for method in ("inverted_cdf", "averaged_inverted_cdf"):
            for axis in (-1, 0, None):
                for more in ({}, {"where": where}):
                    there = {name: a.cuda() for name, a in more.items()}
                    same(onefold.quantile(x.cuda(), LEVELS, axis, weights=weights.cuda(), method=method, nan="omit", **there),
                         onefold.quantile(x, LEVELS, axis, weights=weights, method=method, nan="omit", **more))
    same(onefold.median(x.cuda(), weights=weights.cuda()), onefold.median(x, weights=weights))


def test_repeated_elements_have_the_bits_of_the_cpu():
    x, counts = torch.randn(7, 50_000), torch.randint(0, 9, (7, 50_000))
    for method in ("linear", "hazen", "nearest", "averaged_inverted_cdf"):
        for axis in (-1, 0, None):
            same(onefold.quantile(x.cuda(), LEVELS, axis, fweights=counts.cuda(), method=method),
                 onefold.quantile(x, LEVELS, axis, fweights=counts, method=method))


def test_weighted_segments_and_several_keys_have_the_bits_of_the_cpu():
    x, weights = torch.randn(100_000), torch.rand(100_000)
    offsets = torch.tensor([0, 0, 5, 7_000, 90_000, 100_000])
    same(onefold.quantile(x.cuda(), LEVELS, offsets=offsets.cuda(), weights=weights.cuda(), method="inverted_cdf"),
         onefold.quantile(x, LEVELS, offsets=offsets, weights=weights, method="inverted_cdf"))
    keys = {"a": torch.randint(0, 30, x.shape), "b": torch.rand(x.shape) < 0.5}
    for more in ({}, {"weights": weights}):
        (ours, found), (names, cpu) = (
            onefold.median(move(x), by={k: move(v) for k, v in keys.items()}, **{k: move(v) for k, v in more.items()})
            for move in (torch.Tensor.cuda, torch.Tensor.numpy))
        assert all(ours[name].cpu().tolist() == names[name].tolist() for name in keys)
        same(found, torch.from_numpy(cpu))


def test_weights_in_graphs():
    x, weights = torch.randn(3, 100_000, device="cuda"), torch.rand(3, 100_000, device="cuda")
    graph = torch.cuda.CUDAGraph()
    onefold.median(x, -1, weights=weights)
    with torch.cuda.graph(graph):
        answer = onefold.median(x, -1, weights=weights)
    weights.copy_(torch.rand(3, 100_000))
    graph.replay()
    same(answer, onefold.median(x.cpu(), -1, weights=weights.cpu()))
    with pytest.raises(onefold.OptionError, match="a weight is negative or not finite"):
        onefold.median(x, -1, weights=-weights)


@pytest.mark.parametrize("name", ["float64", "float32", "bfloat16", "int32", "int64", "bool"])
def test_statistics_of_order_have_the_answers_of_the_cpu(name):
    torch.manual_seed(9)
    x = (torch.randn(40, 7, 515) * 3).round().to(getattr(torch, name))
    if x.is_floating_point():
        x[3, 2, 5] = float("nan")
        x[1, 1, ::3] = -0.0
    where = torch.rand(x.shape) < 0.95
    for axis in (-1, 1, (0, 2), None):
        for keywords in ({}, {"nan": "omit"}, {"where": where, "nan": "omit"}):
            there = {n: v.cuda() if isinstance(v, torch.Tensor) else v for n, v in keywords.items()}
            for call, more in ((onefold.mode, ()), (onefold.nunique, ()), (onefold.trimmed_mean, (0.1,)), (onefold.winsorized_mean, ("0.3",))):
                ours, cpu = call(x.cuda(), *more, axis, **there), call(x, *more, axis, **keywords)
                assert ours.is_cuda and ours.dtype == cpu.dtype, call
                torch.testing.assert_close(ours.cpu(), cpu, rtol=0, atol=0, equal_nan=True)
            if not isinstance(axis, tuple):
                for method in ("lower", "nearest"):
                    ours = onefold.argquantile(x.cuda(), [0, 0.3, 1], axis, method=method, **there)
                    assert torch.equal(ours.cpu(), torch.as_tensor(onefold.argquantile(x, [0, 0.3, 1], axis, method=method, **keywords)))
    for x in (torch.randn(50_000), torch.randint(-50, 50, (50_000,)), torch.randn(50_000).half()):
        keys, offsets, where = torch.randint(0, 100, x.shape), torch.tensor([7, 100, 30_000, 49_999]), torch.rand(x.shape) < 0.9
        for keywords in ({}, {"where": where}):
            there = {n: v.cuda() for n, v in keywords.items()}
            for q in (0.5, [0, 0.3, 1]):
                ours = onefold.argquantile(x.cuda(), q, offsets=offsets.cuda(), **there)
                assert torch.equal(ours.cpu(), onefold.argquantile(x, q, offsets=offsets, **keywords))
                assert torch.equal(ours, onefold.argquantile(x.cuda(), q, offsets=offsets.int().cuda(), **there))
                for ours, cpu in zip(onefold.argquantile(x.cuda(), q, by=keys.cuda(), **there), onefold.argquantile(x, q, by=keys, **keywords)):
                    assert ours.cpu().tolist() == cpu.tolist()


def test_histograms_have_the_counts_of_the_cpu():
    torch.manual_seed(10)
    weights = torch.rand(100_000)
    for x in (torch.randn(100_000), torch.rand(100_000).double(), torch.randint(0, 50, (100_000,)), torch.randn(100_000).half()):
        for bins, limits in ((10, None), (997, (-1, 1.1)), ([0, 0.1, 0.5, 3], None)):
            for keywords in ({}, {"weights": weights}, {"density": True}):
                there = {n: v.cuda() if isinstance(v, torch.Tensor) else v for n, v in keywords.items()}
                for ours, cpu in zip(onefold.histogram(x.cuda(), bins, limits, **there),
                                     onefold.histogram(x, bins, limits, **keywords)):
                    assert ours.is_cuda and ours.cpu().tolist() == cpu.tolist()
    x, y = torch.rand(1000), torch.randn(1000)
    for ours, cpu in zip(onefold.histogram2d(x.cuda(), y.cuda(), [3, 4], weights=weights[:1000].cuda()),
                         onefold.histogram2d(x, y, [3, 4], weights=weights[:1000])):
        assert ours.cpu().tolist() == cpu.tolist()
