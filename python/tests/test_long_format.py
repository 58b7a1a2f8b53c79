"""test_format.py over 10^5 random states."""

import pytest
from test_format import check_states


@pytest.mark.parametrize("part", range(10))
def test_a_hundred_thousand_states_have_the_bytes_and_bits_of_the_reference(part):
    check_states(100 + part, 10000)
