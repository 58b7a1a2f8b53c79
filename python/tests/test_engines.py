"""States in other projects' engines, if they are installed: the recipes of docs/scale.md."""

import os
import subprocess
import sys

import numpy as np
import onefold
import pytest

X = np.random.default_rng(5).standard_cauchy(10_000)
WHOLE = onefold.gather("mean,var,max", X)


def run_ranks(tmp_path, program, n, *args):
    (tmp_path / "ranks.py").write_text(program)
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "OMP_NUM_THREADS": "1",
           "CUDA_VISIBLE_DEVICES": os.environ.get("CUDA_VISIBLE_DEVICES", "")}
    if "nccl" in args:
        del env["CUDA_VISIBLE_DEVICES"]
    runs = [subprocess.Popen([sys.executable, "ranks.py", str(r), str(n), *args], cwd=tmp_path,
                             stderr=subprocess.PIPE, text=True, env=env) for r in range(n)]
    for run in runs:
        _, said = run.communicate(timeout=180)
        assert run.returncode == 0, said[-3000:]


def test_ray():
    ray = pytest.importorskip("ray")
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
    try:
        gather = ray.remote(lambda part: onefold.gather("mean,var,max", part))
        merge = ray.remote(lambda a, b: a | b)
        states = [gather.remote(part) for part in np.array_split(X, 7)]
        while len(states) > 1:
            states = states[2:] + [merge.remote(*states[:2])]
        assert ray.get(states[0]) == WHOLE
    finally:
        ray.shutdown()


def recipe(name):
    """The lines of the recipe in docs/scale.md that begins with this comment."""
    path = os.path.join(os.path.dirname(__file__), "../../docs/scale.md")
    with open(path) as f:
        text = f.read()
    return text.split(f"# {name}", 1)[1].split("\n# ")[0].split("```")[0].split("\n", 1)[1]


class Partitions:
    """What the recipe asks of Spark's RDD, in plain Python."""

    def __init__(self, *parts):
        self.parts = parts

    def mapPartitions(self, f):  # noqa: N802: Spark's name
        return Partitions(*(list(f(iter(part))) for part in self.parts))

    def treeReduce(self, f):  # noqa: N802
        import functools
        import itertools
        import pickle

        return functools.reduce(f, (pickle.loads(pickle.dumps(x)) for x in itertools.chain(*self.parts)))


def test_the_recipe_for_spark_takes_empty_partitions():
    parts = [X[:10].tolist(), [], X[10:5000].tolist(), [], X[5000:].tolist(), []]
    names = {"onefold": onefold, "values": Partitions(*parts)}
    exec(recipe("Spark"), names)
    assert names["state"] == onefold.gather("mean,var", X)


def test_cubed():
    cubed = pytest.importorskip("cubed")
    x = X.reshape(100, 100)
    names = {"onefold": onefold, "np": np, "cubed": cubed, "x": cubed.from_array(x, chunks=(30, 40))}
    exec(recipe("cubed"), names)
    np.testing.assert_array_equal(names["mean"].compute(), onefold.mean(x, axis=0))


def test_spark():
    sql = pytest.importorskip("pyspark.sql")
    os.environ["PYSPARK_PYTHON"] = sys.executable
    spark = sql.SparkSession.builder.master("local[2]").getOrCreate()
    try:
        values = spark.sparkContext.parallelize(X.tolist(), 5).filter(lambda v: abs(v) < 1e9)
        names = {"onefold": onefold, "values": values.union(spark.sparkContext.parallelize([], 2))}
        exec(recipe("Spark"), names)
        assert names["state"] == onefold.gather("mean,var", X[np.abs(X) < 1e9])
    finally:
        spark.stop()


JAX = """
import sys, jax
jax.config.update("jax_platforms", "cpu")
jax.distributed.initialize(sys.argv[3], int(sys.argv[2]), int(sys.argv[1]))
import numpy as np, onefold, onefold.jax
x = np.random.default_rng(5).standard_cauchy(10_000)
part = np.array_split(x, int(sys.argv[2]))[int(sys.argv[1])]
assert onefold.jax.all_reduce(onefold.gather("mean,var,max", part)) == onefold.gather("mean,var,max", x)
from jax.sharding import Mesh, NamedSharding, PartitionSpec
mesh = Mesh(np.array(jax.devices()), "d")
for spec in (PartitionSpec("d"), PartitionSpec()):
    whole = np.arange(12, dtype="f4").reshape(6, 2) ** 3
    y = jax.make_array_from_callback(whole.shape, NamedSharding(mesh, spec), lambda k: whole[k])
    assert onefold.jax.gather("mean,max", y) == onefold.gather("mean,max", whole)
rows = np.array_split(x.reshape(1000, 10), int(sys.argv[2]))[int(sys.argv[1])]
slices = onefold.gather("mean,var", rows, axis=0)
assert onefold.jax.all_reduce(slices) == onefold.gather("mean,var", x.reshape(1000, 10), axis=0)  # by psum
assert not jax.config.jax_enable_x64
try:
    onefold.jax.all_reduce(lambda: 1 / 0 if sys.argv[1] == "1" else onefold.gather("sum", part))
    raise SystemExit("no error")
except onefold.PeerError as e:
    assert "rank 1: division by zero" in str(e)
"""


def test_jax(tmp_path):
    pytest.importorskip("jax")
    import socket

    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        port = s.getsockname()[1]
    run_ranks(tmp_path, JAX, 2, f"127.0.0.1:{port}")


DTENSOR = """
import sys, numpy as np, torch, onefold, onefold.torch, torch.distributed as dist
from torch.distributed.tensor import DTensor, Replicate, Shard, distribute_tensor
from torch.distributed.device_mesh import init_device_mesh
rank, size, engine = int(sys.argv[1]), int(sys.argv[2]), sys.argv[4]
if engine == "nccl": torch.cuda.set_device(rank)
dist.init_process_group(engine, init_method="file://" + sys.argv[3], rank=rank, world_size=size)
device = "cuda" if engine == "nccl" else "cpu"
mesh = init_device_mesh(device, (size,))
x = np.random.default_rng(1).standard_normal((37, 5, 4))
def of(placement): return distribute_tensor(torch.from_numpy(x).to(device), mesh, [placement])
for placement in (Shard(0), Replicate()):
    state = onefold.torch.gather("var,argmax", of(placement))
    assert state == onefold.gather("var,argmax", x), placement
    assert onefold.torch.gather("mean,argmin", of(placement), axis=(0, 2)) == onefold.gather(
        "mean,argmin", x, axis=(0, 2))
assert onefold.torch.gather("mean", of(Shard(1))) == onefold.gather("mean", x)
local = of(Shard(0)).to_local()
assert onefold.torch.all_reduce(onefold.gather("var", local, axis=0)) == onefold.gather("var", x, axis=0)
from torch.distributed.tensor.placement_types import _StridedShard
uneven = torch.ones(rank + 1, 2, device=device)
for bad in (lambda: onefold.torch.gather("sum", of(Shard(1)), axis=0),
            lambda: onefold.torch.gather("sum, argmin", of(Shard(1))),
            lambda: onefold.torch.gather("sum", uneven),
            lambda: onefold.torch.gather("sum", DTensor.from_local(
                uneven, mesh, [Shard(0)], shape=torch.Size((size * (size + 1) // 2, 2)), stride=(2, 1))),
            lambda: onefold.torch.gather("sum", DTensor.from_local(
                uneven[:1], mesh, [_StridedShard(0, split_factor=2)]))):
    try:
        bad()
        raise SystemExit("no error")
    except onefold.OptionError:
        pass
if size == 4:
    mesh = init_device_mesh(device, (2, 2))
    y = distribute_tensor(torch.from_numpy(x).to(device), mesh, [Shard(0), Shard(1)])
    assert onefold.torch.gather("mean,max", y) == onefold.gather("mean,max", x)
    # If one process fails, all processes of both dimensions of the mesh get the error.
    gather, onefold.gather = onefold.gather, lambda *a, **k: 1 / 0 if rank == 3 else gather(*a, **k)
    try:
        onefold.torch.gather("mean", y)
        raise SystemExit("no error")
    except onefold.PeerError as e:
        assert "division by zero" in str(e)
dist.destroy_process_group()
"""


@pytest.mark.parametrize("n", [2, 4])
def test_dtensor_by_gloo(tmp_path, n):
    pytest.importorskip("torch")
    run_ranks(tmp_path, DTENSOR, n, str(tmp_path / "meet"), "gloo")


def test_dtensor_by_nccl(tmp_path):
    torch = pytest.importorskip("torch")
    if torch.cuda.device_count() < 2:
        pytest.skip("fewer than two devices")
    run_ranks(tmp_path, DTENSOR, min(torch.cuda.device_count(), 4), str(tmp_path / "meet"), "nccl")
