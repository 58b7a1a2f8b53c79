"""Arrays of JAX on the host give arrays of JAX, with the bits of NumPy's answers."""

import numpy as np
import pytest

import onefold

jax = pytest.importorskip("jax")
jnp = pytest.importorskip("jax.numpy")
X = np.array([[1.5, 2, 3], [4, 5, 7.25]], "f4")
Z = (X + 1j * X[::-1]).astype("c8")
F = [[0.5, 2], [3, 4]]
I, K, B = np.array([1, 2, 2], "i4"), np.array([0, 1, 0], "i4"), np.array([True, False, True])

CALLS = {
    "einsum of one": lambda a: onefold.einsum("ij->i", a(X)),
    "einsum of all": lambda a: onefold.einsum("i->", a(X[0])),
    "einsum of a diagonal": lambda a: onefold.einsum("ii->i", a(X[:, :2])),
    "einsum of two": lambda a: onefold.einsum("ij,kj->ik", a(X), a(X)),
    "einsum of an axis that broadcasts": lambda a: onefold.einsum("ij,k->i", a(Z), a(Z[0])),
    "einsum of integers": lambda a: onefold.einsum("i,i", a(I), a(I)),
    "einsum with dtype": lambda a: onefold.einsum("i,i", a(X[0]), a(X[0]), dtype="f2"),
    "matmul with dtype": lambda a: onefold.matmul(a(X), a(X.T), dtype="f2"),
    "matmul of complex": lambda a: onefold.matmul(a(Z), a(X.T)),
    "matmul of real and complex": lambda a: onefold.matmul(a(X), a(Z.T)),
    "tensordot of complex": lambda a: onefold.tensordot(a(Z), a(Z), 2),
    "vecdot of complex": lambda a: onefold.vecdot(a(Z), a(Z)),
    "addmm with dtype": lambda a: onefold.addmm(a(X[:, :2]), a(X), a(X.T), dtype="f2"),
    "addmm of complex": lambda a: onefold.addmm(a(Z[:, :2]), a(Z), a(Z.T)),
    "ops of complex": lambda a: onefold.fold("sum,mean,var,norm2,any", a(Z), axis=0),
    "count of complex": lambda a: onefold.count(a(Z)),
    "dot of complex": lambda a: onefold.dot(a(Z[0]), a(Z[0])),
    "windows of complex": lambda a: onefold.rolling(a(Z[0]), 2, min_periods=1).sum(),
    "scans of complex": lambda a: onefold.cumsum(a(Z), 1),
    "segments of complex": lambda a: onefold.fold_segments("sum,var", a(Z[0]), [0, 1, 3]),
    "groups of complex": lambda a: onefold.fold_by("sum", a(K), a(Z[0])),
    "groups by several keys": lambda a: onefold.fold_by("sum", keys=[a(K), a(B)], x=a(X[0])),
    "groups of a matrix": lambda a: onefold.fold_by("mean", a(K), a(X.T)),
    "quantiles by keys": lambda a: onefold.quantile(a(X[0]), [0.25, 0.5], by=a(K)),
    "a median by keys": lambda a: onefold.median(a(X[0]), by=a(B)),
    "quantiles of integers by keys": lambda a: onefold.quantile(a(I), 0.3, by=a(K)),
    "places of quantiles by keys": lambda a: onefold.argquantile(a(X[0]), 0.5, by=a(K)),
    "places of quantiles": lambda a: onefold.argquantile(a(X), [0, 1], 0),
    "quantiles of segments": lambda a: onefold.quantile(a(I), 0.3, offsets=[0, 1, 3]),
    "an expression": lambda a: onefold.sum(onefold.expr("x * 2 + y", x=a(X), y=a(X[0])), 0),
    "matmul of a list": lambda a: onefold.matmul(F, a(X)),
    "matmul of a list of integers": lambda a: onefold.matmul([[1, 2]], a(X)),
    "matmul of NumPy's": lambda a: onefold.matmul(X.T, a(X)),
    "matmul of a list of complex": lambda a: onefold.matmul(F, a(Z)),
    "tensordot of a list": lambda a: onefold.tensordot(F, a(X), 1),
    "tensordot of numbers": lambda a: onefold.tensordot([1.0, 2.5], a(X[:, 0]), 1),
    "vecdot of a list": lambda a: onefold.vecdot(F, a(X[:, :2])),
    "vecdot of NumPy's and complex": lambda a: onefold.vecdot(X, a(Z)),
    "einsum of a list": lambda a: onefold.einsum("ij,jk", F, a(X)),
    "addmm of lists": lambda a: onefold.addmm([1, 2, 3], F, a(X), alpha=0.5),
    "addmm to an array": lambda a: onefold.addmm(a(X), F, X),
    "histogram": lambda a: onefold.histogram(a(X), 4),
    "histogram with edges": lambda a: onefold.histogram(a(X), [0, 2, 7.5]),
    "histogram with weights": lambda a: onefold.histogram(a(X), 4, weights=a(X)),
    "histogram of densities": lambda a: onefold.histogram(a(X), 4, density=True),
    "histogram2d": lambda a: onefold.histogram2d(a(X), a(X[::-1]), 2),
    "histogram2d with weights": lambda a: onefold.histogram2d(a(X), a(X), [2, 3], weights=X),
    "truths of an expression": lambda a: onefold.fold("count_nonzero,any", onefold.expr("x > 2", x=a(X))),
}


def leaves(found):
    parts = found.values() if isinstance(found, dict) else found if isinstance(found, (tuple, list)) else None
    return [found] if parts is None else [leaf for part in parts for leaf in leaves(part)]


@pytest.mark.parametrize("name", CALLS)
def test_arrays_of_jax_give_arrays_of_jax(name):
    ours, numpys = leaves(CALLS[name](jnp.asarray)), leaves(CALLS[name](np.asarray))
    assert len(ours) == len(numpys)
    for one, other in zip(ours, numpys):
        assert isinstance(one, jax.Array), type(one)
        wanted = np.asarray(other)
        np.testing.assert_array_equal(one, wanted.astype(jax.dtypes.canonicalize_dtype(wanted.dtype)))


def test_without_64_bits_answers_are_rounded_once():
    # Float64 rounds 2^24 + 1 + 2e-16 to 2^24 + 1, and float32 that to 2^24.
    x = jnp.array([2**24, 2**24 + 2], "i4")
    for answer in (onefold.quantile(x, "0.5000000000000001", by=np.zeros(2, int))[1],
                   onefold.quantile(x, "0.5000000000000001", offsets=[0, 2])):
        assert answer.dtype == "float32" and answer.tolist() == [2**24 + 2]
    assert onefold.mean(onefold.expr("x + y", x=x, y=x)).dtype == "float32"
    assert onefold.sum(x.astype("c8"), dtype="c16").dtype == onefold.matmul(x, x, dtype="f8").astype("c8").dtype == "complex64"


def test_products_with_lists_are_rounded_once():
    # Float64 rounds 2^24 + 1 + 2^-30 to 2^24 + 1, and float32 that to 2^24.
    x, f = jnp.array([[2**24], [1], [2**-15]], "f4"), [[1.0, 1.0, 2.0**-15]]
    right = 2**24 + 2
    assert onefold.matmul(f, x).tolist() == onefold.addmm([0.0], f, x).tolist() == onefold.einsum("ij,jk", f, x).tolist() == [[right]]
    assert onefold.tensordot(f, x, 1).tolist() == [[right]] and onefold.vecdot(f, x.T).tolist() == [right]


def test_states_and_fits_are_of_no_library():
    x = jnp.asarray(X)
    assert type(onefold.gather("sum", x).sum) is float and type(onefold.gather("sum", x, axis=0).sum) is np.ndarray
    assert onefold.gather("sum", x, axis=0).sum.tolist() == onefold.sum(X, 0).tolist()
    assert type(onefold.gather_logsumexp(x).logsumexp) is np.float32 and type(onefold.gather_logsumexp(x, 0).logsumexp) is np.ndarray
    assert type(onefold.linear_fit(x.T, jnp.array([1.0, 2, 4])).coef) is np.ndarray


def test_integers_that_jax_cannot_hold_are_refused():
    big = jnp.array([2**30, 2**30, 2**30])
    for call in (lambda: onefold.einsum("i->", big), lambda: onefold.einsum("i,i", big, big)):
        with pytest.raises(onefold.OverflowError, match="does not fit JAX's int32; set jax_enable_x64"):
            call()


def test_other_libraries_keep_their_types():
    strict = pytest.importorskip("array_api_strict")
    x = strict.asarray(X)
    for answer in (onefold.einsum("ij->i", x), onefold.matmul(x, x.T, dtype="f4"), onefold.quantile(x[0, :], 0.5, by=K)[1]):
        assert type(answer) is type(x)
