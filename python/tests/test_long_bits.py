"""test_bits.py over 10^5 random cases."""

import pytest
from test_bits import check_arrays


@pytest.mark.parametrize("part", range(10))
def test_a_hundred_thousand_cases_give_the_bits_of_exact_arithmetic(part):
    check_arrays(100 + part, 2500)
