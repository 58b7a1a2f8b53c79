"""The ops in functions that JAX traces: the bits of the library, and derivatives of both modes."""

import numpy as np
import pytest

import onefold
from onefold import _ops

jax = pytest.importorskip("jax")
import jax.numpy as jnp  # noqa: E402

import onefold.jax as ours  # noqa: E402

RANDOM = np.random.default_rng(7)
X = RANDOM.standard_normal((4, 5, 6)).astype("f4")
Y = RANDOM.standard_normal((4, 5, 6)).astype("f4")


HOST = jax.devices("cpu")[0]


def right(call, *arrays, **keywords):
    """The answer of the library, of arrays on the host: where there is a GPU, JAX's are there."""
    arrays = [jax.device_put(a, HOST) for a in arrays]
    if "where" in keywords:
        keywords["where"] = jax.device_put(keywords["where"], HOST)
    return call(*arrays, **keywords)


def same(got, want):
    got, want = np.asarray(got), np.asarray(want)
    assert got.shape == want.shape and got.dtype == want.dtype, (got.shape, want.shape, got.dtype, want.dtype)
    assert got.tobytes() == want.tobytes()


@pytest.mark.parametrize("op", sorted(ours.operators))
def test_answers_in_traced_functions_are_those_of_arrays(op):
    arrays = [jnp.asarray(X)] if _ops.ops[op].inputs == 1 else [jnp.asarray(X), jnp.asarray(Y)]
    for keywords in ({}, {"axis": 1}, {"axis": (0, -1), "keepdims": True}, {"axis": -1, "where": jnp.asarray(X > -1)}):
        call = getattr(ours, op)
        want = right(lambda *a, **k: onefold.fold(op, *a, **k)[0], *arrays, **keywords)
        same(call(*arrays, **keywords), want)
        same(jax.jit(lambda *a: call(*a, **keywords))(*arrays), want)


@pytest.mark.parametrize("dtype", ["bfloat16", "float16", "int32", "int8", "uint8", "bool"])
@pytest.mark.parametrize("op", ["sum", "mean", "var", "max", "argmax", "count", "any"])
def test_types_are_those_of_arrays(op, dtype):
    x = jnp.asarray(X * 3).astype(dtype)
    same(jax.jit(lambda a: getattr(ours, op)(a, axis=1))(x), right(getattr(onefold, op), x, axis=1))


def test_integers_that_need_64_bits_are_refused_as_the_function_runs():
    x = jnp.full(5, 2**30, "int32")
    with pytest.raises(Exception, match="sum: the exact value does not fit JAX's int32; set jax_enable_x64"):
        jax.jit(ours.sum)(x).block_until_ready()
    with jax.enable_x64(True):
        assert jax.jit(ours.sum)(x) == 5 * 2**30


def test_answers_of_64_bits_are_rounded_once():
    x = jnp.asarray([2**24, 1, 1, 1], "int32")
    same(jax.jit(ours.mean)(x), right(onefold.mean, x))
    assert ours.mean(x).dtype == jnp.float32


@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
def test_an_array_and_a_list_make_a_pair(dtype):
    x = jnp.asarray([1, 2, 4], dtype)
    for given in ((x, [1.0, 2, 3]), ([1.0, 2, 3], x)):
        for op, right in (("dot", 17), ("cov", 1)):
            answer = getattr(onefold, op)(*given)
            assert isinstance(answer, jax.Array) and answer == right, op
        assert onefold.matmul(*given) == 17
    y = np.ones(3, "f4")
    if dtype == "float32":
        assert isinstance(onefold.dot(y, x), jax.Array) and isinstance(onefold.dot(x, y), jax.Array)
    assert isinstance(onefold.einsum("i,i->", x, x), jax.Array)


@pytest.mark.parametrize("name", ["logsumexp", "softmax", "log_softmax"])
@pytest.mark.parametrize("axis", [-1, 0, (0, 2), None])
def test_functions_of_rows_in_traced_functions(name, axis):
    x = jnp.asarray(X * 40)
    want = right(getattr(onefold, name), x, axis=axis)
    same(getattr(ours, name)(x, axis=axis), want)
    same(jax.jit(lambda a: getattr(ours, name)(a, axis=axis))(x), want)


def test_vmap_folds_each():
    x, y = jnp.asarray(X), jnp.asarray(Y)
    same(jax.vmap(lambda a: ours.argmax(a))(x), right(onefold.argmax, x, axis=(1, 2)))
    same(jax.jit(jax.vmap(lambda a, b: ours.dot(a, b, axis=0), (1, None)))(x, y[:, 0]),
         np.stack([right(lambda a, b: onefold.fold("dot", a, b, axis=0).dot, x[:, k], y[:, 0]) for k in range(5)]))
    same(jax.vmap(lambda a: ours.softmax(a, 0), 2, 2)(x), right(onefold.softmax, x, axis=0))
    same(jax.vmap(ours.matmul, (0, None))(x, y[0].T), right(onefold.matmul, x, y[0].T))
    same(jax.vmap(ours.matmul, (None, 0))(x[0, 0], jnp.swapaxes(y, 1, 2)), np.stack([right(onefold.matmul, x[0, 0], m.T) for m in y]))


@pytest.mark.parametrize("shapes", [((5, 6), (6, 3)), ((6,), (6,)), ((6,), (4, 6, 3)), ((4, 5, 6), (6,)), ((4, 5, 6), (6, 2)),
                                    ((2, 1, 5, 6), (4, 6, 3)), ((5, 0), (0, 3))])
def test_products_and_their_gradients(shapes):
    a, b = (jnp.asarray(RANDOM.standard_normal(s), "float32") for s in shapes)
    same(jax.jit(ours.matmul)(a, b), right(onefold.matmul, a, b))
    w = jnp.asarray(RANDOM.standard_normal((a @ b).shape), "float32")
    got = jax.jit(jax.grad(lambda a, b: jnp.vdot(w, ours.matmul(a, b)), (0, 1)))(a, b)
    want = jax.jit(jax.grad(lambda a, b: jnp.vdot(w, jnp.matmul(a, b, precision="highest")), (0, 1)))(a, b)
    for g, h, m in zip(got, want, (a, b)):
        assert g.shape == m.shape and g.dtype == m.dtype
        np.testing.assert_allclose(g, h, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("shape", [(3,), (5, 1), (5, 3), (), (1, 3), (2, 5, 3)])
def test_sums_with_products_and_their_gradients(shape):
    a, b, c = (jnp.asarray(RANDOM.standard_normal(s), "float32") for s in ((2, 5, 6), (6, 3), shape))
    c = c * 1e5
    for alpha, beta in ((1, 1), (-1, .5), (1, 0))[:3 if shape in ((3,), (5, 1), (5, 3)) else 1]:
        same(jax.jit(lambda c, a, b: ours.addmm(c, a, b, alpha=alpha, beta=beta))(c, a, b),
             right(lambda c, a, b: onefold.addmm(c, a, b, alpha=alpha, beta=beta), c, a, b))
    got = jax.jit(jax.grad(lambda c, a, b: ours.addmm(c, a, b).sum(), (0, 1, 2)))(c, a, b)
    want = jax.jit(jax.grad(lambda c, a, b: (c + a @ b).sum(), (0, 1, 2)))(c, a, b)
    for g, h, m in zip(got, want, (c, a, b)):
        assert g.shape == m.shape and g.dtype == m.dtype
        np.testing.assert_allclose(g, h, rtol=1e-4, atol=1e-4)


def test_sums_with_products_have_what_is_not_finite():
    a, b = jnp.zeros((2, 2), "float32"), jnp.ones((2, 2), "float32")
    c = jnp.array([[jnp.inf, -0.0], [jnp.nan, -jnp.inf]], "float32")
    same(jax.jit(ours.addmm)(c, a, b), right(onefold.addmm, c, a, b))
    same(jax.jit(ours.addmm)(c, -a, b), right(onefold.addmm, c, -a, b))
    for keywords, words in (({"alpha": .1}, "alpha=0.1"), ({"beta": .1}, "beta=0.1|float64")):
        with pytest.raises(onefold.UnsupportedError, match=words):
            jax.jit(lambda: ours.addmm(c, a, b, **keywords))()
    with pytest.raises(onefold.UnsupportedError, match="alpha=-1: within jax.jit alpha must be 1"):
        jax.jit(lambda: ours.addmm(jnp.ones(2, int), jnp.ones((2, 2), int), jnp.ones((2, 2), int), alpha=-1))()
    with pytest.raises(onefold.ShapeError, match="c has shape"):
        ours.addmm(jnp.ones(7), a, b)
    same(ours.addmm(jnp.ones(2, int), jnp.ones((2, 2), int), jnp.ones((2, 2), int)), np.full((2, 2), 3, "i4"))


def by_differences(f, *arrays):
    """The gradient of f, of f64, by central differences."""
    gradients = []
    for k, x in enumerate(arrays):
        gradient = np.empty(x.shape)
        for at in np.ndindex(x.shape):
            step = np.zeros(x.shape)
            step[at] = 1e-6
            up, down = (f(*arrays[:k], x + s, *arrays[k + 1:]) for s in (step, -step))
            gradient[at] = (up - down) / 2e-6
        gradients.append(gradient)
    return gradients


@pytest.mark.parametrize("keywords", [{"axis": 1}, {"axis": (0, 1)}, {"axis": 0, "keepdims": True}, {"axis": 1, "where": X[0] > -0.5}])
@pytest.mark.parametrize("op", ["sum", "mean", "var", "norm2", "mse", "dot", "logsumexp", "softmax", "log_softmax"])
def test_derivatives_are_those_of_differences(op, keywords):
    if op not in ours.operators:
        keywords = {name: value for name, value in keywords.items() if name == "axis"}
    if op == "var":
        keywords = {**keywords, "ddof": 1}
    with jax.enable_x64(True):
        arrays = [jnp.asarray(a[0], "float64") for a in ((X, Y) if op in ("mse", "dot") else (X,))]
        call = getattr(ours, op)
        weights = jnp.asarray(RANDOM.standard_normal(call(*arrays, **keywords).shape))

        def loss(*a):
            return jnp.sum(call(*a, **keywords) * weights)

        places = tuple(range(len(arrays)))
        want = by_differences(jax.jit(loss), *arrays)
        got = jax.jit(jax.grad(loss, places))(*arrays)
        for g, w in zip(got, want):
            np.testing.assert_allclose(g, w, rtol=1e-5, atol=1e-7)
        turns = [jnp.asarray(RANDOM.standard_normal(a.shape)) for a in arrays]
        _, change = jax.jvp(loss, tuple(arrays), tuple(turns))
        np.testing.assert_allclose(change, sum(np.vdot(g, t) for g, t in zip(want, turns)), rtol=1e-5, atol=1e-7)


def test_what_has_no_derivative_and_wrong_arguments_are_named():
    x = jnp.asarray(X[0])
    with pytest.raises(onefold.UnsupportedError, match=r"max has no derivative; pass jax.lax.stop_gradient\(x\)"):
        jax.grad(lambda a: ours.max(a))(x)
    with pytest.raises(onefold.UnsupportedError, match="sum with nan='omit' has no derivative"):
        jax.grad(lambda a: ours.sum(a, nan="omit"))(x)
    for wrong in (lambda a: ours.sum(a, axis=2), lambda a: ours.sum(a, axis=(0, 0)), lambda a: ours.sum(a, nan="skip"),
                  lambda a: ours.var(a, ddof="1")):
        with pytest.raises(onefold.Error) as traced:
            jax.jit(wrong)(x)
        with pytest.raises(onefold.Error) as eager:
            wrong(x)
        assert str(traced.value).split(";")[-1] == str(eager.value).split(";")[-1]
    with pytest.raises(onefold.OptionError, match="dot: takes 2 arrays, not 1"):
        ours.dot(x)
    with pytest.raises(onefold.UnsupportedError, match="softmax: elements are int32; pass floats"):
        jax.jit(ours.softmax)(jnp.arange(3))
    with pytest.raises(onefold.UnsupportedError, match="argquantile: the array is traced by JAX; call it outside of the traced function"):
        jax.jit(lambda x: onefold.argquantile(x, 0.5))(jnp.arange(3.0))
    with pytest.raises(onefold.UnsupportedError, match="traced by JAX; call onefold.jax.sum"):
        jax.jit(lambda a: onefold.sum(a))(x)


def test_derivatives_of_complex_numbers_are_those_of_jax():
    z = jnp.array([3 + 4j, 1 - 2j], "complex64")
    np.testing.assert_allclose(jax.grad(ours.norm2)(z), jax.grad(jnp.linalg.norm)(z), rtol=1e-6)
    np.testing.assert_allclose(jax.grad(ours.var)(z), jax.grad(jnp.var)(z), rtol=1e-6)
    np.testing.assert_allclose(jax.jvp(ours.norm2, (z,), (z,))[1], jax.jvp(jnp.linalg.norm, (z,), (z,))[1], rtol=1e-6)


def test_derivatives_of_narrow_floats_and_many_elements():
    x = jnp.ones(70000, "float16")
    assert (jax.grad(ours.mean)(x) == jax.grad(jnp.mean)(x)).all() and jax.jvp(ours.mean, (x,), (x,))[1] == 1
    assert (jax.grad(lambda a: ours.mean(a, where=a > 0))(x) == jax.grad(jnp.mean)(x)).all()
    assert jax.grad(lambda a: ours.mean(a).astype("float32"))(jnp.ones(4, "float8_e4m3fn")).astype("float32").tolist() == [0.25] * 4
    a = jnp.ones((2, 2), "float8_e4m3fn")
    assert jax.grad(lambda a: ours.matmul(a, a).sum())(a).dtype == a.dtype


def test_what_a_mask_leaves_out_does_not_spoil_a_gradient():
    w = jnp.array([True, True, False])
    for op in ("var", "norm2", "mean", "sum"):
        got = jax.grad(lambda a: getattr(ours, op)(a, where=w))(jnp.array([1.0, 2.0, jnp.nan]))
        assert got[2] == 0 and jnp.isfinite(got).all()


def test_second_derivatives():
    x = jnp.arange(1.0, 4.0)
    for f, g in ((ours.var, jnp.var), (ours.norm2, jnp.linalg.norm)):
        np.testing.assert_allclose(jax.jit(jax.hessian(f))(x), jax.jit(jax.hessian(g))(x), atol=1e-6)


def test_what_a_program_cannot_hand_over_is_refused():
    mesh = jax.sharding.Mesh(np.array(jax.devices()[:1]), "d")
    part = jax.sharding.PartitionSpec
    x = jnp.arange(8.0).reshape(4, 2)

    def total(a):
        return ours.sum(a, axis=1)

    with pytest.raises(onefold.UnsupportedError, match="check_vma=False"):
        jax.shard_map(total, mesh=mesh, in_specs=part("d"), out_specs=part("d"))(x)
    same(jax.shard_map(total, mesh=mesh, in_specs=part("d"), out_specs=part("d"), check_vma=False)(x), x.sum(1))
    with pytest.raises(onefold.UnsupportedError, match="arrays of int4"):
        jax.jit(ours.sum)(jnp.ones(3, "int4"))
    assert jax.jit(ours.sum)(jnp.ones(3, "float8_e4m3fnuz")) == 3
    assert jax.jit(lambda a: ours.var(a, axis=(np.int64(0),), ddof=np.int64(1)))(x).shape == (2,)
    for axis in ("a", 1.0):
        with pytest.raises(onefold.Error):
            ours.sum(x, axis=axis)
