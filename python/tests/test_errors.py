"""Every error code of the table has one class, and it is a subclass of the usual exception."""

import pytest

import onefold
from onefold import _core, _errors


def test_the_classes_are_those_of_the_engines_table():
    assert set(_errors.by_code) == {code for code, _, _ in _core.error_table()}


@pytest.mark.parametrize("code, base", [
    ("bad_option", ValueError), ("bad_axis", IndexError), ("bad_axis", ValueError),
    ("shape_mismatch", ValueError), ("type_mismatch", TypeError), ("overflow", OverflowError),
    ("empty_input", ValueError), ("nan_found", ValueError), ("cannot_open", OSError),
    ("out_of_memory", MemoryError), ("no_backend", RuntimeError), ("bad_state", ValueError)])
def test_each_is_also_what_people_catch(code, base):
    error = _errors.make(code, "one line")
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
    assert found == {code: error.__name__ for code, error in _errors.by_code.items()}


def test_an_axis_that_is_no_integer_is_a_type_error():
    with pytest.raises(TypeError):
        onefold.sum([1.0], axis="0")
