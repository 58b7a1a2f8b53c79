"""The vectors that are constructed: all files of vectors/ but nist.jsonl and test262.jsonl."""

import math

from vectors import FORMATS, hexadecimal

FLOATS = ("f64", "f32")


def vector(name, type, x, source, y=None, group="rounding"):
    """x and y: lists of numbers, or a recipe."""
    found = {"name": f"{type}/{name}", "type": type, "group": group, "source": source}
    for key, said in (("x", x), ("y", y)):
        if isinstance(said, list):
            found |= {key: said, "written": found.get("written", {}) | {
                key: [hexadecimal(v) for v in said]}}
    return found


def recipe(name, type, source, **said):
    from vectors import made
    return {"name": f"{type}/{name}", "type": type, "group": "rounding", "source": source,
            "x": made(said, type), "written": {"x": said}}


def both_signs(cases, type, source):
    for name, x in cases.items():
        yield vector(name, type, x, source)
        yield vector(name + "_negated", type, [-v for v in x], source)


def ties(type):
    digits, least, end = FORMATS[type]
    half, tiny, whole = math.ldexp(1, -digits), math.ldexp(1, least), math.ldexp(1, digits)
    greatest = math.ldexp(2**digits - 1, end - digits)
    ulp, normal = math.ldexp(1, end - digits), math.ldexp(1, least + digits - 1)
    return {
        "tie_to_even": [1.0, half],
        "tie_of_odd": [1 + 2 * half, half],
        "above_tie": [1.0, half, tiny],
        "below_tie": [1.0, half, -tiny],
        "above_tie_of_odd_less": [1 + 2 * half, half, -tiny],
        "above_tie_slightly": [1.0, half, half / 2**(digits - 1)],
        "rounded_twice": [1.0, half, math.ldexp(1, -digits - 12)],
        "rounded_twice_down": [1 + 2 * half, half, -math.ldexp(1, -digits - 12)],
        "tie_below_a_power": [1.0, -half / 2],
        "below_tie_below_a_power": [1.0, -half / 2, -tiny],
        "above_tie_below_a_power": [1.0, -half / 2, tiny],
        "tie_made_of_three": [1.0, half / 2, half / 4, half / 4],
        "tie_broken_by_the_first": [tiny, 1.0, half],
        "ones_beside_a_large_one": [whole, 1.0, 1.0],
        "three_ones_beside_a_large_one": [whole, 1.0, 1.0, 1.0],
        "carry_through_all_digits": [whole - 1, 0.5],
        "first_that_overflows": [greatest, ulp / 2],
        "last_that_does_not": [greatest, ulp / 2, -tiny],
        "quarter_above_the_greatest": [greatest, ulp / 4],
        "overflow_within": [greatest, greatest, -greatest],
        "overflow_within_and_a_tiny_rest": [greatest] * 3 + [-greatest] * 3 + [tiny],
        "overflow_within_and_a_rest": [greatest, greatest, 3.0, -greatest, -greatest],
        "twice_the_greatest": [greatest, greatest],
        "least_subnormals": [tiny, tiny, tiny],
        "half_the_least": [tiny, 0.0],
        "one_and_a_half_of_the_least": [tiny, 2 * tiny],
        "two_and_a_half_of_the_least": [2 * tiny, 3 * tiny],
        "greatest_subnormal": [normal, -tiny],
        "least_normal": [normal / 2, normal / 2],
        "subnormal_to_normal": [normal - tiny, tiny],
        "far_below_the_tie": [1.0] + [half / 2**digits] * 40,
        "one_element": [0.1 if type == "f64" else math.ldexp(13421773, -27)],
    }


def cancellations(type):
    digits, least, end = FORMATS[type]
    big, step = math.ldexp(1, min(60, end - 10)), digits + 1
    levels = [math.ldexp(1, k) for k in range(0, end - 1, step)]
    series = [math.ldexp(round(20**k / math.factorial(k) * 2**20), -20) * (-1)**k
              for k in range(60)]
    found = {
        "one_between": [big, 1.0, -big],
        "one_before": [1.0, big, -big],
        "one_after": [big, -big, 1.0],
        "ones_around": [1.0, big, 1.0, -big],
        "one_between_extremes": [math.ldexp(1, end - 1), 1.0, -math.ldexp(1, end - 1)],
        "least_between_extremes": [math.ldexp(1, end - 1), math.ldexp(1, least),
                                   -math.ldexp(1, end - 1)],
        "every_power": [math.ldexp(1, k) for k in range(end - 1, least, -7)],
        "every_power_with_signs": [math.ldexp(1 - 2 * (i % 2), k)
                                   for i, k in enumerate(range(end - 1, least, -5))],
        "powers_and_all_but_the_last_back": [math.ldexp(1, k) for k in range(end - 2, least, -11)]
        + [-math.ldexp(1, k) for k in range(end - 2, least + 11, -11)],
        "all_but_one_unit": [big] + [-big / 64] * 64 + [math.ldexp(1, -30)],
    }
    if type == "f64":
        found |= {"tenths": [0.1] * 10, "three_tenths": [0.1, 0.2, 0.3],
                  "decimals_that_cancel": [0.1, 0.2, -0.3],
                  "decimals_of_two_scales": [1e20, 3.14, 1e-20, -1e20, -3.14],
                  "alternating_harmonic": [(-1)**k / (k + 1) for k in range(100)],
                  "exponential_of_minus_20": series}
    for n in range(2, len(levels) + 1):  # a compensation of n terms loses the least
        found[f"levels_{n}"] = levels[:n] + [-v for v in levels[1:n]]
        if n > 10:
            break
    return found


def spreads(type):
    """Data for means and variances: far from their mean, constant, beyond the range of squares."""
    digits, least, end = FORMATS[type]
    greatest = math.ldexp(2**digits - 1, end - digits)
    far, root = math.ldexp(1, digits - 2), math.ldexp(1, least // 2)
    tenth = 0.1 if type == "f64" else math.ldexp(13421773, -27)
    third = math.ldexp(round(2**(digits + 1) / 3), -digits - 1)
    return {
        "far_from_zero": [far + v for v in (4, 7, 13, 16)],
        "far_with_halves": [far + v for v in (0, 0.5, 1, 1.5, 2)],
        "constant": [tenth] * 10, "constant_third": [third] * 7,
        "constant_but_one": [tenth] * 20 + [tenth + math.ldexp(1, -digits - 3)],
        "greatest_constant": [greatest] * 3, "greatest_of_both_signs": [greatest, -greatest],
        "root_of_the_greatest": [math.ldexp(1, end // 2 - 1), -math.ldexp(1, end // 2 - 1)],
        "subnormal_variance": [root, 3 * root], "variance_below_the_least": [root / 64, root / 32],
        "thirds": [1.0, 2.0, 2.0], "sevenths": [1.0, 2.0, 4.0, 0.0, 1.0, 1.0, 1.0],
        "mean_of_a_tie": [1.0, 1 + math.ldexp(1, 1 - digits)],
        "mean_rounded_twice": [3.0, math.ldexp(3, -digits), math.ldexp(1, -2 * digits)],
    }


def products(type):
    digits, least, end = FORMATS[type]
    ulp, half = math.ldexp(1, 1 - digits), math.ldexp(1, -digits)
    large, small = math.ldexp(1, end - 2), math.ldexp(1, least // 2 - 2)
    return {
        "plain": ([1.0, 2.0, 3.0], [4.0, 5.0, 6.0]),
        "low_half_of_a_product": ([1 + ulp, -1.0], [1 + ulp, 1 + 2 * ulp]),
        "low_half_of_two": ([1 + ulp, 1 - half], [1 - half, -1 - ulp]),
        "overflow_within": ([large, -large, 3.0], [large, large, 1.0]),
        "underflow_within": ([small, 1.0], [small, math.ldexp(1, least)]),
        "underflow_adds_up": ([small] * 64, [small] * 64),
        "underflow_alone": ([small, 0.0], [small, 1.0]),
        "underflow_alone_negative": ([small, 0.0], [-small, 1.0]),
        "tie_broken_by_a_tiny_product": ([1.0, half, small], [1.0, 1.0, small]),
        "tie_broken_downwards": ([1.0, half, small], [1.0, 1.0, -small]),
        "orthogonal": ([3.0, -4.0, 12.0], [4.0, 3.0, 0.0]),
        "levels": ([math.ldexp(1, 20 * k % 60) for k in range(12)] + [1.0],
                   [math.ldexp((-1)**(k // 3), 20) for k in range(12)] + [half]),
        "pairs_that_cancel": ([math.ldexp(2**digits - k, -digits) for k in range(1, 21)] * 2,
                              [math.ldexp(2**digits - 3 * k, -digits) for k in range(1, 21)]
                              + [-math.ldexp(2**digits - 3 * k + 1, -digits)
                                 for k in range(1, 21)]),
    }


def files():
    """{"rounding": [vector, ..], ..}"""
    found = {name: [] for name in ("rounding", "cancellation", "spread", "dot", "integer", "random",
                                   "special", "zero")}
    for t in FLOATS:
        digits, least, end = FORMATS[t]
        tiny, greatest = math.ldexp(1, least), math.ldexp(2**digits - 1, end - digits)
        found["rounding"] += both_signs(ties(t), t, "IEEE 754-2019, 4.3.1 roundTiesToEven")
        found["cancellation"] += both_signs(cancellations(t), t, "sums that cancel")
        found["spread"] += [vector(name, t, x, "means and variances that float formulas miss")
                            for name, x in spreads(t).items()]
        found["dot"] += [vector("dot_" + name, t, x, "products are not rounded", y)
                         for name, (x, y) in products(t).items()]
        for seed, n in ((1, 100), (2, 1000), (3, 1001)):
            found["random"] += [
                recipe(f"unit_{n}", t, "splitmix64", kind="unit", seed=seed, n=n),
                recipe(f"bits_{n}", t, "splitmix64", kind="bits", seed=seed, n=n),
                recipe(f"wide_{n}", t, "splitmix64", kind="wide", seed=seed, n=n, low=-20, high=20),
                recipe(f"widest_{n}", t, "splitmix64", kind="wide", seed=seed, n=n,
                       low=1 - end + 2, high=end - 12),
                recipe(f"mirror_{n}", t, "splitmix64", kind="mirror", seed=seed, n=n, low=-60,
                       high=60, tail=["0x1p+0", hexadecimal(math.ldexp(1, -digits)), "0x1p-90"])]
        n = 400_000 if t == "f64" else 100_000  # of several row groups of a database
        found["random"] += [
            recipe("long_wide", t, "splitmix64", kind="wide", seed=4, n=n, low=-30, high=30),
            recipe("long_mirror", t, "splitmix64", kind="mirror", seed=5, n=n // 2, low=-30,
                   high=30, tail=["0x1p+0", hexadecimal(math.ldexp(1, -digits)), "0x1p-90"])]
        inf, nan = math.inf, math.nan
        found["special"] += [vector(name, t, x, "IEEE 754-2019, 6 and 9.4", group="special")
                             for name, x in {
            "nan": [nan], "nan_in_the_middle": [1.0, nan, 2.0], "nan_beside_infinity": [inf, nan],
            "infinity": [inf], "infinity_and_one": [inf, 1.0], "two_infinities": [inf, inf],
            "infinity_negative": [1.0, -inf], "infinities_that_differ": [inf, -inf],
            "infinities_that_differ_later": [-inf, 1.0, 2.0, inf],
            "infinity_beside_the_greatest": [-inf, greatest, greatest],
            "greatest_twice_before_infinity": [greatest, greatest, -inf],
            "nan_after_infinities": [inf, -inf, nan]}.items()]
        found["zero"] += [vector(name, t, x, "IEEE 754-2019, 6.3", group="zero") for name, x in {
            "nothing": [], "negative": [-0.0], "negative_thrice": [-0.0] * 3,
            "negative_many": [-0.0] * 33, "both": [-0.0, 0.0], "both_reversed": [0.0, -0.0],
            "positive": [0.0], "cancelled": [1.0, -1.0], "cancelled_reversed": [-1.0, 1.0],
            "cancelled_beside_negative": [tiny, -tiny, -0.0]}.items()]
    most = 2**63 - 1
    found["integer"] += [vector(name, "i64", x, "integers are exact") for name, x in {
        "small": [1, 2, 3], "beyond_53_bits": [2**53 + 1, 1], "overflow_within": [most, 5, -most],
        "overflow_within_twice": [-most - 1, -most - 1, most, most, 2], "greatest": [most, 0],
        "least": [-most - 1, 0], "does_not_fit": [most, 1],
        "does_not_fit_negative": [-most - 1, -1],
        "squares_do_not_fit": [2**62, 2**62 + 1, -2**62 - 3],
        "far_from_zero": [2**60 + v for v in (0, 1, 2, 3, 5)]}.items()]
    found["integer"] += [vector("dot_" + name, "i64", x, "integers are exact", y)
                         for name, (x, y) in {
        "small": ([1, 2, 3], [4, 5, 6]), "beyond_53_bits": ([2**31 + 1, 1], [2**31 - 1, 3]),
        "overflow_within": ([2**62, 2**62, 7], [4, -4, 1]),
        "does_not_fit": ([2**62], [2])}.items()]
    found["integer"].append(recipe("bits_1000", "i64", "splitmix64", kind="bits", seed=6, n=1000,
                                   shift=12))
    return found
