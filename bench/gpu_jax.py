"""onefold.jax within jax.jit on a GPU beside jax.numpy, as rows of a table for results/gpu_jax.md.

    python3 bench/gpu_jax.py

ms a call, medians of 9 rounds of 5 calls. "right": whether answers have the bits that the processor gives for the same elements (of
softmax and products the first 64 rows).
"""

import statistics
import time

import jax
import jax.numpy as jnp
import numpy as np
import onefold
import onefold.jax as ours


def ms(call, *arrays, rounds=9, calls=5):
    jax.block_until_ready(call(*arrays))
    times = []
    for _ in range(rounds):
        begin = time.perf_counter()
        for _ in range(calls):
            answer = call(*arrays)
        jax.block_until_ready(answer)
        times.append((time.perf_counter() - begin) / calls * 1e3)
    return statistics.median(times)


def row(what, mine, theirs, arrays, right):
    mine, theirs = jax.jit(mine), jax.jit(theirs)
    got = np.asarray(jax.device_get(mine(*arrays)))
    want = np.asarray(right)
    same = got[:len(want)].tobytes() == want.tobytes() if want.ndim else got.tobytes() == want.tobytes()
    t, other = ms(mine, *arrays), ms(theirs, *arrays)
    print(f"| {what} | {t:.3f} | {other:.3f} | {other / t:.2f} | {same} |", flush=True)


def main():
    print(f"JAX {jax.__version__}, {jax.devices()[0].device_kind}\n")
    print("| within jit | onefold.jax, ms | jax.numpy | jax.numpy / ours | right |\n|---|---|---|---|---|")
    for shape, axis in (((2**28,), None), ((2**14, 2**14), 1), ((2**14, 2**14), 0), ((1000,), None)):
        for dtype in ("float32", "bfloat16"):
            x = jax.random.normal(jax.random.key(0), shape, dtype)
            here = np.asarray(jax.device_get(x))
            for name in ("sum", "var", "argmax"):
                row(f"{name} of {dtype}, {shape}, axis {axis}", lambda x: getattr(ours, name)(x, axis=axis),
                    lambda x: getattr(jnp, name)(x, axis=axis), [x],
                    np.asarray(getattr(onefold, name)(here, axis=axis)).astype("int32" if name == "argmax" else dtype))
    x, y = (jax.random.normal(jax.random.key(k), (4096, 4096)) for k in (1, 2))
    some, all_of_y = np.asarray(x[:64]), np.asarray(y)
    row("softmax of rows, 4,096^2 f32", lambda x: ours.softmax(x, -1), lambda x: jax.nn.softmax(x, -1), [x],
        onefold.softmax(some, axis=-1))
    row("logsumexp of rows, 4,096^2 f32", lambda x: ours.logsumexp(x, -1), lambda x: jax.nn.logsumexp(x, -1), [x],
        onefold.logsumexp(some, axis=-1))
    row("matmul, 4,096^2 f32 (jnp: highest precision)", ours.matmul, lambda a, b: jnp.matmul(a, b, precision="highest"), [x, y],
        onefold.matmul(some, all_of_y))


main()
