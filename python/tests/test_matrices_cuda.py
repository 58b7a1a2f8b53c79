"""Products of matrices on a CUDA device: the CPU's bits, in any batch, on the current stream and in graphs.

Skipped, with the reason, where torch or a device is missing.
"""

import pytest

import onefold

torch = pytest.importorskip("torch", reason="torch is not installed")
if not torch.cuda.is_available():
    pytest.skip("no CUDA device", allow_module_level=True)

import onefold.torch  # noqa: E402

TYPES = [torch.float64, torch.float32, torch.float16, torch.bfloat16]
INTEGERS = [torch.int64, torch.int32, torch.int16, torch.int8, torch.uint8]
# Large enough for the products by residues.
ROWS, INNER, COLUMNS = 300, 800, 400


def matrices(dtype, *batch, seed=1):
    torch.manual_seed(seed)
    a, b = torch.randn(*batch, ROWS, INNER), torch.randn(*batch, INNER, COLUMNS)
    return a.to(dtype), b.to(dtype)


def same(ours, cpu):
    assert ours.is_cuda and ours.dtype == cpu.dtype and ours.shape == cpu.shape
    assert torch.equal(ours.cpu().nan_to_num(7e4), cpu.nan_to_num(7e4))


@pytest.mark.parametrize("dtype", TYPES)
def test_entries_have_the_bits_of_the_cpu(dtype):
    a, b = matrices(dtype)
    expected = onefold.matmul(a, b)
    same(onefold.matmul(a.cuda(), b.cuda()), expected)
    same(onefold.matmul(a.T.contiguous().cuda().T, b.T.contiguous().cuda().T), expected)
    same(onefold.matmul(a.cuda()[:, ::2], b.cuda()[::2]), onefold.matmul(a[:, ::2], b[::2]))


@pytest.mark.parametrize("dtype", INTEGERS)
def test_integers_are_exact(dtype):
    a, b = (100 * x for x in matrices(torch.float32))
    a, b = a.to(dtype), b.to(dtype)
    ours = onefold.matmul(a.cuda(), b.cuda())
    assert torch.equal(ours.cpu(), onefold.matmul(a, b))
    assert torch.equal(ours.cpu().long(), a.long() @ b.long())


def test_an_integer_that_overflows_says_so():
    a = torch.full((ROWS, INNER), 2**60, dtype=torch.int64)
    b = torch.ones((INNER, COLUMNS), dtype=torch.int64)
    with pytest.raises(OverflowError):
        onefold.matmul(a.cuda(), b.cuda())


@pytest.mark.parametrize("dtype", TYPES)
def test_numbers_that_are_none_and_of_any_magnitude(dtype):
    a, b = matrices(dtype)
    a[3, 5], a[7, 1], b[2, 9], a[11], b[:, 4] = float("nan"), float("inf"), float("-inf"), 0, -0.0
    same(onefold.matmul(a.cuda(), b.cuda()), onefold.matmul(a, b))
    b[7] = float("inf")  # every column has one
    same(onefold.matmul(a.cuda(), b.cuda()), onefold.matmul(a, b))
    a, b = matrices(dtype, seed=2)
    a, b = a * (4 * torch.randn(a.shape)).exp().to(dtype), b * (4 * torch.randn(b.shape)).exp().to(dtype)
    same(onefold.matmul(a.cuda(), b.cuda()), onefold.matmul(a, b))


def test_batches_are_products_alone():
    a, b = (x.cuda() for x in matrices(torch.float32, 3))
    together = onefold.matmul(a, b)
    for k in range(3):
        assert torch.equal(together[k], onefold.matmul(a[k], b[k]))
    assert torch.equal(onefold.matmul(a, b[0])[1], onefold.matmul(a[1], b[0]))
    assert torch.equal(together[0, 17:130], onefold.matmul(a[0, 17:130], b[0]))


def test_blocks_of_large_matrices():
    torch.manual_seed(3)
    a, b = torch.randn(3000, 5000, device="cuda"), torch.randn(5000, 6000, device="cuda")
    c = onefold.matmul(a, b)
    for rows, columns in ((slice(0, 3), slice(0, 6000)), (slice(2990, 3000), slice(5000, 6000))):
        assert torch.equal(c[rows, columns].cpu(), onefold.matmul(a[rows].cpu(), b[:, columns].cpu()))


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32, torch.bfloat16, torch.int32])
def test_long_rows_are_multiplied_in_parts(dtype):
    torch.manual_seed(6)
    a, b = (100 * torch.randn(24, 300_001, device="cuda")).to(dtype), (100 * torch.randn(300_001, 40, device="cuda")).to(dtype)
    ours = onefold.matmul(a, b)
    assert torch.equal(ours.cpu(), onefold.matmul(a.cpu(), b.cpu()))
    assert torch.equal(onefold.matmul(a.T.contiguous().T, b.T.contiguous().T), ours)


@pytest.mark.parametrize("alpha, beta", [(1, 1), (2, -.5), (.1, .3), (40**-.5, 0)])
@pytest.mark.parametrize("dtype", TYPES)
def test_sums_with_products_have_the_bits_of_the_cpu(dtype, alpha, beta):
    a, b = matrices(dtype)
    c = torch.randn(ROWS, COLUMNS).to(dtype)
    odd = c.clone()
    odd[0], odd[1, 3], odd[2, 5] = -0.0, float("inf"), float("nan")
    a[0] = 0
    for one in (c[0], c[:, :1], c, odd, c[0, 0]):
        same(onefold.addmm(one.cuda(), a.cuda(), b.cuda(), alpha=alpha, beta=beta), onefold.addmm(one, a, b, alpha=alpha, beta=beta))


def test_a_product_rounded_to_a_shorter_type_has_the_bits_of_the_cpu():
    for dtype, shorter in ((torch.float64, "f32"), (torch.float64, "bf16"), (torch.float32, "bf16"), (torch.float32, "f16")):
        a, b = matrices(dtype)
        a, b = (x.mul(64).round().div(64) for x in (a, b))  # many entries lie halfway
        same(onefold.matmul(a.cuda(), b.cuda(), dtype=shorter), onefold.matmul(a, b, dtype=shorter))


def test_linear_and_its_kin_within_exact():
    a, b = (x.cuda() for x in matrices(torch.float32))
    c = torch.randn(COLUMNS, device="cuda")
    weight, bias = b.T.contiguous().requires_grad_(), c.clone().requires_grad_()
    with onefold.torch.exact():
        y = torch.nn.functional.linear(a, weight, bias)
        y.sum().backward()
        batch = torch.baddbmm(c, a[None], b[None], beta=0, alpha=.5)
    same(y.detach(), onefold.addmm(c.cpu(), a.cpu(), b.cpu()))
    same(weight.grad, onefold.matmul(torch.ones(COLUMNS, ROWS), a.cpu()))
    same(batch[0], onefold.addmm(c.cpu(), a.cpu(), b.cpu(), beta=0, alpha=.5))


def test_a_graph_replays_a_linear_layer():
    a, b = (x.cuda() for x in matrices(torch.float32))
    c = torch.randn(COLUMNS, device="cuda")
    onefold.addmm(c, a, b)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        y = onefold.addmm(c, a, b)
    a.copy_(matrices(torch.float32, seed=7)[0])
    graph.replay()
    same(y, onefold.addmm(c.cpu(), a.cpu(), b.cpu()))


def test_torch_mm_within_exact():
    a, b = matrices(torch.float32)
    a, b = a.cuda().requires_grad_(), b.cuda().requires_grad_()
    with onefold.torch.exact():
        c = a @ b
        c.sum().backward()
    same(c.detach(), onefold.matmul(a.detach().cpu(), b.detach().cpu()))
    ones = torch.ones(ROWS, COLUMNS)
    same(a.grad, onefold.matmul(ones, b.detach().cpu().T))


def test_a_graph_replays_the_product():
    a, b = (x.cuda() for x in matrices(torch.float32))
    onefold.matmul(a, b)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        c = onefold.matmul(a, b)
    for seed in (4, 5):
        for x, y in zip((a, b), matrices(torch.float32, seed=seed)):
            x.copy_(y)
        graph.replay()
        same(c, onefold.matmul(a.cpu(), b.cpu()))


def test_memory_that_is_lent_is_used_and_nothing_else():
    a, b = (m.cuda() for m in matrices(torch.float32))
    expected = onefold.matmul(a, b)
    for mib in (48, 64, 512):
        memory = torch.zeros(mib << 20, dtype=torch.uint8, device="cuda")
        with onefold.torch.matmul_workspace(memory):
            assert torch.equal(onefold.torch.matmul(a, b), expected)
        assert memory.any() and torch.equal(onefold.torch.matmul(a, b), expected)
    for memory, why in ((torch.zeros(1024, device="cuda"), "the workspace has 4096 bytes, but this product needs [0-9]+ or more"),
                        (torch.zeros(9), "pass a contiguous CUDA tensor, not a tensor on cpu"),
                        (torch.zeros(9, 9, device="cuda").T[1:], "pass a contiguous CUDA tensor, not Tensor"),
                        (memory[1:], "the workspace's address is not a multiple of 256")):
        with pytest.raises(onefold.Error, match=why):
            with onefold.torch.matmul_workspace(memory):
                onefold.matmul(a, b)
    # A graph keeps the memory's address.
    memory, graph, out = torch.empty(64 << 20, dtype=torch.uint8, device="cuda"), torch.cuda.CUDAGraph(), None
    with onefold.torch.matmul_workspace(memory):
        onefold.matmul(a, b)
        with torch.cuda.graph(graph):
            out = onefold.matmul(a, b)
    a.mul_(2)
    graph.replay()
    assert torch.equal(out, 2 * expected)


@pytest.mark.parametrize("dtype", TYPES)
def test_products_of_a_batch_of_two_axes(dtype):
    """Heads as attention has them, of which none is large: short vectors, then long ones, and one with NaN and infinities."""
    torch.manual_seed(8)
    q, k = (torch.randn(3, 200, 5, 64).to(dtype).transpose(1, 2) for _ in range(2))
    v = torch.randn(3, 5, 200, 300).to(dtype)
    q[1, 2, 3, 4], k[2, 4, 7, 9], q[0, 0] = float("nan"), float("inf"), 0
    scores = onefold.matmul(q, k.transpose(-1, -2))
    same(onefold.matmul(q.cuda(), k.cuda().transpose(-1, -2)), scores)
    weights = scores.nan_to_num(1, 1, 1)
    same(onefold.matmul(weights.cuda(), v.cuda()), onefold.matmul(weights, v))
    spread = (20 * torch.randn(3, 5, 200, 64)).exp2().to(dtype)
    same(onefold.matmul(spread.cuda(), k.cuda().transpose(-1, -2)), onefold.matmul(spread, k.transpose(-1, -2)))


def test_a_graph_has_a_model_that_was_captured_within_exact():
    torch.manual_seed(9)
    layer = torch.nn.TransformerEncoderLayer(256, 4, 512, dropout=0, batch_first=True, norm_first=True).cuda().eval()
    x, y = torch.randn(2, 16, 128, 256, device="cuda")
    with torch.no_grad():
        with onefold.torch.exact():
            expected, other = layer(x), layer(y)
            graph = torch.cuda.CUDAGraph()
            with torch.cuda.graph(graph):
                out = layer(x)
        graph.replay()
        assert torch.equal(out, expected)
        x.copy_(y)
        graph.replay()
        assert torch.equal(out, other)
