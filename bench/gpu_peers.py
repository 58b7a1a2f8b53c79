"""PyTorch's device time of a call, to compare with ours: graph replays over rotated inputs.

    python3 bench/gpu_peers.py [log2 sizes ...]

Prints lines "torch OP TYPE log2(n) microseconds GB/s". Sums of 16-bit types are asked for in their
own type, sums of integers in int64, as PyTorch does by itself.
"""

import sys

import torch

OPS = {
    "sum": torch.sum,
    "mean": torch.mean,
    "var": lambda x: torch.var(x, correction=0),
    "min": torch.min,
    "argmax": torch.argmax,
    "norm2": torch.linalg.vector_norm,
    "any": torch.any,
    "count_nonzero": torch.count_nonzero,
}
TYPES = {
    "f32": torch.float32,
    "f64": torch.float64,
    "bf16": torch.bfloat16,
    "f16": torch.float16,
    "i8": torch.int8,
    "i32": torch.int32,
    "i64": torch.int64,
}


def microseconds(op, inputs):
    for x in inputs[:2]:
        op(x)
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        kept = [op(x) for x in inputs]
    times = []
    for i in range(9):
        begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        begin.record()
        graph.replay()
        end.record()
        torch.cuda.synchronize()
        if i > 1:
            times.append(begin.elapsed_time(end))
    del kept
    return 1000 * sorted(times)[len(times) // 2] / len(inputs)


def main():
    sizes = [int(s) for s in sys.argv[1:]] or [20, 28]
    print("torch", torch.__version__)
    for name, dtype in TYPES.items():
        for log2n in sizes:
            n = 1 << log2n
            size = n * torch.empty(0, dtype=dtype).element_size()
            copies = min(16, max(2, (2 << 30) // size))
            if dtype.is_floating_point:
                inputs = [torch.randn(n, device="cuda", dtype=dtype) for _ in range(copies)]
            else:
                inputs = [
                    torch.randint(-100, 100, (n,), device="cuda", dtype=dtype)
                    for _ in range(copies)
                ]
            for op, f in OPS.items():
                if op in ("mean", "var", "norm2") and not dtype.is_floating_point:
                    continue
                try:
                    us = microseconds(f, inputs)
                except RuntimeError as e:
                    print(f"torch {op:<14} {name:<5} 2^{log2n} cannot: {str(e).splitlines()[0]}")
                    continue
                gbps = size / us / 1000
                print(f"torch {op:<14} {name:<5} 2^{log2n:<2} {us:10.2f} us {gbps:7.0f} GB/s")
            del inputs
            torch.cuda.empty_cache()


if __name__ == "__main__":
    main()
