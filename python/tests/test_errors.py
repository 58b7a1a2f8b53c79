"""Every error code of the table has one class, and it is a subclass of the usual exception."""

import pytest

import onefold
from onefold import _core, errors


def test_the_classes_are_those_of_the_engines_table():
    assert set(errors.by_code) == {code for code, _, _ in _core.error_table()}


@pytest.mark.parametrize("code, base", [
    ("bad_option", ValueError), ("bad_axis", IndexError), ("bad_axis", ValueError),
    ("shape_mismatch", ValueError), ("type_mismatch", TypeError), ("overflow", OverflowError),
    ("empty_input", ValueError), ("nan_found", ValueError), ("cannot_open", OSError),
    ("out_of_memory", MemoryError), ("no_backend", RuntimeError), ("bad_state", ValueError)])
def test_each_is_also_what_people_catch(code, base):
    error = errors.make(code, "one line")
    assert isinstance(error, base) and isinstance(error, onefold.Error)
    assert error.code == code and str(error) == "one line"


def test_the_documents_table_is_that_of_the_classes():
    import pathlib

    text = (pathlib.Path(__file__).parents[2] / "docs" / "errors.md").read_text()
    rows = [[cell.strip().replace("`", "").split(", ") for cell in line.split("|")[1:4]]
            for line in text.partition("## In Python")[2].splitlines() if line.startswith("| `")]
    found = {}
    for classes, bases, codes in rows:
        for k, code in enumerate(codes):
            found[code] = classes[min(k, len(classes) - 1)]
            assert all(base in [b.__name__ for b in getattr(onefold, found[code]).__mro__]
                       for base in bases)
    assert found == {code: error.__name__ for code, error in errors.by_code.items()}


def test_an_axis_that_is_no_integer_is_a_type_error():
    with pytest.raises(TypeError):
        onefold.sum([1.0], axis="0")


@pytest.mark.parametrize("call, message", [
    (lambda: onefold.dot([1.0, 2], [3, 4, 5]), r"dot: the arrays have shapes \(2,\) and \(3,\); they must agree"),
    (lambda: onefold.gather("argmax", [1.0]) | onefold.gather("argmax", [5.0]), r".* the index of its first element \(first=\)$"),
    (lambda: onefold.fold("percentile", [1.0]), "percentile cannot be folded: .*; call the separate functions median or quantile"),
    (lambda: onefold.sum([2**62] * 4), "sum: the exact value does not fit the result type; request f64$"),
    (lambda: onefold.sum(""), 'open "": ')])
def test_a_message_names_what_is_wrong_and_the_way_out(call, message):
    with pytest.raises(onefold.Error, match=message):
        call()


def test_of_a_text_no_array_is_read(tmp_path):
    (tmp_path / "a.csv").write_text("a,b\n1,2\n")
    with pytest.raises(onefold.UnsupportedError, match="save it as .npy, or read it with pandas$"):
        onefold.read(tmp_path / "a.csv")
