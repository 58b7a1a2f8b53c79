"""Tensors on a CUDA device, and a comparison with those of the CPU. Importing it skips tests where torch or a device is missing."""

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="torch is not installed")
if not torch.cuda.is_available():
    pytest.skip("no CUDA device", allow_module_level=True)

NAMES = ["float64", "float32", "float16", "bfloat16", "int8", "int32", "int64", "uint8", "bool"]


def tensor(name, n=100_003, seed=1):
    x = torch.from_numpy(np.random.default_rng(seed).normal(0, 30, n)).cuda()
    return x > 0 if name == "bool" else x.abs().to(torch.uint8) if name == "uint8" else x.to(
        getattr(torch, name))


def same(ours, cpu, what=""):
    """Checks that both tensors have one type, shape and the same bits, ours being on the device."""
    assert isinstance(ours, torch.Tensor) and ours.is_cuda and ours.shape == cpu.shape, what
    assert ours.dtype == cpu.dtype and torch.equal(ours.cpu().nan_to_num(7e7), cpu.nan_to_num(7e7)), what
