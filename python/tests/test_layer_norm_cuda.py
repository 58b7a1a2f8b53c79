"""rms_norm and layer_norm on a CUDA device: the CPU's bits, along any axes, on the current stream and in graphs.

Skipped, with the reason, where torch or a device is missing.
"""

import pytest

import onefold

torch = pytest.importorskip("torch", reason="torch is not installed")
if not torch.cuda.is_available():
    pytest.skip("no CUDA device", allow_module_level=True)

TYPES = [torch.float64, torch.float32, torch.float16, torch.bfloat16]


def there(*given):
    return [None if t is None else t.cuda() for t in given]


def same(ours, cpu):
    assert ours.is_cuda and ours.dtype == cpu.dtype and ours.shape == cpu.shape
    assert torch.equal(ours.cpu().nan_to_num(7e4), cpu.nan_to_num(7e4))


def compare(x, axis, w=None, b=None, eps=1e-5):
    on_device, weight, bias = there(x, w, b)
    same(onefold.rms_norm(on_device, axis, weight=weight, eps=eps), onefold.rms_norm(x, axis, weight=w, eps=eps))
    same(onefold.layer_norm(on_device, axis, weight=weight, bias=bias, eps=eps),
         onefold.layer_norm(x, axis, weight=w, bias=b, eps=eps))


@pytest.mark.parametrize("dtype", TYPES)
def test_answers_have_the_bits_of_the_cpu(dtype):
    torch.manual_seed(1)
    x = (3 * torch.randn(30, 7, 512) + 1).to(dtype)
    x[3, 2, 5] = float("inf")
    x[4, 1, 5] = float("nan")
    x[5, 0] = 2
    for axis, shape in ((-1, (512,)), (1, (7,)), ((1, 2), (7, 512)), ((0, 2), (30, 512)), (None, x.shape)):
        w, b = (torch.rand(shape).to(dtype) for _ in range(2))
        compare(x, axis)
        compare(x, axis, w, b)
    if dtype in (torch.float16, torch.bfloat16):
        compare(x, -1, torch.rand(512), torch.rand(512))
    compare(x.mT, 1, torch.rand(512).to(dtype), torch.rand(512).to(dtype))
    small = torch.randint(-2, 3, (500, 16)).to(dtype)  # ties, and elements that are the mean
    for eps in (0, 0.25):
        compare(small, -1, (torch.arange(16) * 0.5).to(dtype), None, eps)


def test_streams_and_graphs():
    x, w = torch.randn(64, 1000), torch.rand(1000)
    on_device, weight = there(x, w)
    with torch.cuda.stream(torch.cuda.Stream()) as stream:
        answer = onefold.rms_norm(on_device, weight=weight)
    torch.cuda.synchronize()
    same(answer, onefold.rms_norm(x, weight=w))
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        answer = onefold.layer_norm(on_device, weight=weight)
    on_device.mul_(2)
    graph.replay()
    same(answer, onefold.layer_norm(2 * x, weight=w))


def test_exact_takes_torchs_own_calls():
    import onefold.torch

    x, w = torch.randn(8, 100, device="cuda"), torch.rand(100, device="cuda")
    with onefold.torch.exact():
        same(torch.nn.functional.layer_norm(x, (100,), w), onefold.layer_norm(x.cpu(), weight=w.cpu()))
        same(torch.nn.functional.rms_norm(x, (100,), w, 1e-5), onefold.rms_norm(x.cpu(), weight=w.cpu()))


@pytest.mark.parametrize("call, error, words", [
    (lambda x: onefold.rms_norm(x.long()), onefold.UnsupportedError, "floats"),
    (lambda x: onefold.rms_norm(x, weight=torch.rand(4)), onefold.UnsupportedError, "weight"),
    (lambda x: onefold.layer_norm(x, weight=torch.rand(3, device="cuda")), onefold.ShapeError, "weight"),
    (lambda x: onefold.layer_norm(x, eps=-1), onefold.OptionError, "eps")])
def test_what_is_not_there_is_refused(call, error, words):
    with pytest.raises(error, match=words):
        call(torch.randn(3, 4, device="cuda"))
