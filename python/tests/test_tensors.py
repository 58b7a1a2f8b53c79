"""Tensors on the CPU, which come by DLPack: of torch, JAX, array-api-strict."""

import sys

import numpy as np
import pytest

import onefold

X = np.array([[1, 2], [3, 4], [5, 9]])


def torch_array(x):
    return pytest.importorskip("torch").from_numpy(np.array(x))


def jax_array(x):
    return pytest.importorskip("jax").numpy.asarray(x)


def strict_array(x):
    return pytest.importorskip("array_api_strict").asarray(np.array(x))


LIBRARIES = pytest.mark.parametrize("make", [torch_array, jax_array, strict_array])


@LIBRARIES
@pytest.mark.parametrize("dtype", ["i4", "u1", "f4", "f2"])
def test_quantiles_are_tensors(make, dtype):
    if make is strict_array and dtype == "f2":
        pytest.skip("array_api_strict has no float16")
    x = make(X.astype(dtype))
    for call, right in [(lambda: onefold.median(x), 3.5), (lambda: onefold.median(x, axis=0), [3, 4]),
                        (lambda: onefold.quantile(x, 0.25, axis=0), [2, 3]),
                        (lambda: onefold.quantile(x, [0.0, 1.0], axis=0), [[1, 2], [5, 9]]),
                        (lambda: onefold.median(x, axis=0, where=np.array([[True], [False], [True]])), [3, 5.5])]:
        answer = call()
        assert type(answer) is type(x) and np.asarray(answer).tolist() == right
        if dtype[0] == "f":
            assert answer.dtype == x.dtype


@LIBRARIES
def test_element_types_have_one_name(make):
    from onefold.operands.found import dtype_of
    from onefold.reduce.slices import refuse_wide_there

    assert [dtype_of(make(X.astype(t))) for t in ("f4", "u1", "?")] == ["f32", "u8", "bool"]
    if make is not jax_array:  # which has 64 bits if jax_enable_x64 is set
        assert dtype_of(make(X.astype("i8"))) == "i64"
    if make is torch_array:
        with pytest.raises(onefold.UnsupportedError, match="one is beyond 2\\^53"):
            refuse_wide_there("median", make(X + 2**53))


@LIBRARIES
def test_types_of_the_library_are_types_of_answers(make):
    x = make(X.astype("f4"))
    library = sys.modules[{"torch_array": "torch", "jax_array": "jax.numpy", "strict_array": "array_api_strict"}[make.__name__]]
    assert onefold.mean(x, dtype=library.float32).dtype == library.float32
    assert onefold.sum(x, axis=0, dtype=library.float32).dtype == library.float32
    assert onefold.fold("sum,mean", x, axis=1, result=library.float32).mean.dtype == library.float32
    assert onefold.sum(X, dtype=library.int8) == 24 and onefold.sum(X.tolist(), dtype=library.float32) == 24
    assert onefold.fold_by("sum", [0, 0, 1], x[:, 0], result=library.float32)[1].sum.dtype == library.float32


@LIBRARIES
def test_places_by_keys_are_tensors(make):
    x = make(np.array([3, 1, 1, 5], "f4"))
    for ops in ("min", "min,argmin", "argmax,mean"):
        for keys in ([7, 7, 9, 9], make(np.array([7, 7, 9, 9])), ["a", "a", "b", "b"]):
            _, answers = onefold.fold_by(ops, keys, x)
            assert all(type(a) is type(x) for a in answers), (ops, answers)
    _, answers = onefold.fold_by("min,argmin", keys=[0.5, np.nan, 0.5, np.nan], x=x, null_keys="drop")
    assert [float(v) for v in answers.min] == [1] and [int(v) for v in answers.argmin] == [2]
    assert [int(i) for i in onefold.fold_by("argmax", make(np.array([0, 0, 1, 1])), x, groups=2).argmax] == [0, 3]


def test_jax_without_x64_rounds_once():
    jax_array(0)
    x = np.array([[806812181, 5, 7], [-806812182, 6, 2**31 - 1]], "i4")
    j = jax_array(x)
    if jax_array(0.5).dtype != np.float32:
        pytest.skip("jax_enable_x64 is set")
    for op in ("mean", "var", "std", "rms", "norm2"):
        f4 = {"dtype": "f4"}
        assert float(getattr(onefold, op)(j)) == getattr(onefold, op)(x, **f4)
        assert np.asarray(getattr(onefold, op)(j, axis=0)).tolist() == getattr(onefold, op)(x, axis=0, **f4).tolist()
        assert np.asarray(onefold.fold_segments(op, j, [0, 1, 2])[0]).tolist() == onefold.fold_segments(
            op, x, [0, 1, 2], result="f4")[0].tolist()
        assert np.asarray(onefold.fold_by(op, [3, 3], j[:, 0])[1][0]).tolist() == onefold.fold_by(
            op, [3, 3], x[:, 0], result="f4")[1][0].tolist()
        both = onefold.fold(f"{op},max,count", j)
        assert float(both[0]) == getattr(onefold, op)(x, **f4) and int(both.max) == 2**31 - 1
    assert float(onefold.var(j[:, 0])) == 6.509458618570506e17  # by way of f64: 6.509459305765274e17
    y = jax_array(np.array([2**24 + 1, 2**24 + 2], "i4"))  # a little more than 2^24 + 1, which f64 does not hold
    assert float(onefold.quantile(y, "0.0000000000000000001")) == 2**24 + 2


def test_bfloat16_of_torch_needs_no_package(monkeypatch):
    x = torch_array(np.arange(6.0).reshape(3, 2)).bfloat16()
    monkeypatch.setitem(sys.modules, "ml_dtypes", None)
    torch = sys.modules["torch"]
    for call, right in [
            (lambda: onefold.sum(x, axis=0), [6, 9]), (lambda: onefold.mean(x, axis=1, keepdims=True), [[0.5], [2.5], [4.5]]),
            (lambda: onefold.sum(x, axis=0, where=x > 1), [6, 8]), (lambda: onefold.average(x, 0, weights=x), [10 / 3, 35 / 9]),
            (lambda: onefold.mse(x, 2 * x, axis=0), [20 / 3, 35 / 3]), (lambda: onefold.vecdot(x, x), [1, 13, 41]),
            (lambda: onefold.fold_segments("sum", x[:, 0], [0, 1, 3]).sum, [0, 6]),
            (lambda: onefold.fold_by("sum", [0, 0, 1], x[:, 0])[1].sum, [2, 4]),
            (lambda: onefold.fold_by("max,argmax", ["b", "b", "a"], x[:, 1])[1].max, [5, 3]),
            (lambda: onefold.quantile(x, [0, 1], axis=0), [[0, 1], [4, 5]])]:
        answer = call()
        assert answer.dtype == torch.bfloat16
        assert answer.tolist() == torch.tensor(right).bfloat16().tolist()
    assert onefold.fold_by("argmin", [0, 0, 1], x[:, 0])[1].argmin.tolist() == [0, 2]
    assert onefold.sum(x, axis=0, dtype=torch.float32).dtype == torch.float32


def test_bfloat16_of_jax_has_products_and_places():
    x = jax_array(np.arange(3.0)).astype(sys.modules["jax"].numpy.bfloat16)
    assert float(onefold.vecdot(x, x)) == 5 and onefold.vecdot(x, x).dtype == x.dtype
    _, answers = onefold.fold_by("min,argmax", [0, 0, 1], x)
    assert answers.min.dtype == x.dtype and [int(i) for i in answers.argmax] == [1, 2]


def test_tensors_without_memory_are_refused():
    torch_array(0)
    torch = sys.modules["torch"]
    for x, text in [(torch.eye(3).to_sparse(), "layout"), (torch.ones(3, device="meta"), "meta"),
                    (torch.ones(2, dtype=torch.uint8).view(torch.float4_e2m1fn_x2), "float4")]:
        for call in (onefold.sum, lambda x: onefold.mean(x, axis=0), onefold.median, lambda x: onefold.gather("sum", x),
                     lambda x: onefold.fold_by("sum", keys=[0] * len(x), x=x), lambda x: onefold.vecdot(x, x)):
            with pytest.raises(onefold.Error, match=text) as error:
                call(x)
            assert "\n" not in str(error.value) and not isinstance(error.value, onefold.InternalError)


def test_tracers_of_jax_are_refused():
    jax_array(0)
    jax = sys.modules["jax"]
    with pytest.raises(onefold.UnsupportedError, match="traced by JAX; call onefold.jax.sum"):
        jax.jit(onefold.sum)(jax.numpy.ones(3))


@LIBRARIES
def test_norms_of_order_0_are_of_any_type(make):
    for dtype in ("i1", "u1", "i2", "f4"):
        for x in (make(np.array([0, 3], dtype)), np.array([0, 3], dtype)):
            assert float(onefold.linalg.vector_norm(x, ord=0)) == 1


@LIBRARIES
def test_columns_fold_by_keys(make):
    x = make(X.astype("f4"))
    for keys in ([0, 0, 1], ["a", "a", "b"], make(np.array([5, 5, 7]))):
        _, answers = onefold.fold_by("sum,argmax", keys, x)
        assert type(answers.sum) is type(answers.argmax) is type(x)
        assert np.asarray(answers.sum).tolist() == [[4, 6], [5, 9]] and np.asarray(answers.argmax).tolist() == [[1, 1], [2, 2]]
    assert np.asarray(onefold.fold_by("mean", [0, 0, 1], x, groups=2).mean).tolist() == [[2, 3], [5, 9]]
    _, answers = onefold.fold_by("sum", keys=[np.nan, 1.0, 1.0], x=x, null_keys="drop")
    assert np.asarray(answers.sum).tolist() == [[8, 13]]


def test_a_lazy_sign_of_torch_is_that_of_the_numbers():
    torch = pytest.importorskip("torch")
    x = torch.tensor([1 + 2j, 3 - 5j]).conj().imag  # whose memory holds 2 and -5
    assert x.is_neg()
    assert onefold.sum(x) == 3 and onefold.fold("max,sum", x) == (5, 3)
    assert onefold.median(x) == 1.5 and onefold.vecdot(x, x) == 29 and onefold.dot(x, x) == 29
    assert onefold.sum(x, axis=0, where=torch.tensor([True, False])) == -2
    _, groups = onefold.fold_by("sum", keys=torch.tensor([0, 1]), x=x)
    assert groups.sum.tolist() == [-2, 5]
    assert onefold.gather("sum", x).answer("sum") == 3


@LIBRARIES
def test_weights_of_other_types_leave_the_library_its_arrays(make):
    x, weights = np.array([1.0, 2.0, 4.0], "f4"), [1, 2, 5]
    ours = onefold.mean(make(x), weights=weights)
    assert type(ours) is type(onefold.mean(make(x)))
    assert float(ours) == pytest.approx(onefold.mean(x, weights=weights), rel=1e-6)
