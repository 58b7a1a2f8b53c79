"""Every code of the table has one class, which is also what people catch."""

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
