"""docs/scale.md at full size: trees, orders, failures and repeats of merges change no byte."""

import random

import numpy as np
import onefold
import pytest


def test_a_million_states_by_a_random_tree_are_one():
    rng = random.Random(1)
    x = np.random.default_rng(2).standard_cauchy(1_000_000).astype("f4")
    waiting = [onefold.gather("mean,var,ptp", x[k:k + 1]) for k in range(len(x))]
    while len(waiting) > 1:  # merges any two states
        k = rng.randrange(len(waiting))
        waiting[k], waiting[-1] = waiting[-1], waiting[k]
        state = waiting.pop()
        waiting[rng.randrange(len(waiting))] |= state
    assert bytes(waiting[0]) == bytes(onefold.gather("mean,var,ptp", x))


def test_parts_of_failing_workers_are_counted_once():
    rng = random.Random(3)
    x = np.random.default_rng(4).standard_normal(1_000_000).astype("f4")
    parts = 100_000
    done, runs = {}, 0
    queue = list(range(parts))
    while queue:  # a killed worker leaves no file; a slow one repeats a part
        part = queue.pop(rng.randrange(len(queue)))
        runs += 1
        if rng.random() < 0.1:
            queue.append(part)
            continue
        piece = x[part * 10:part * 10 + 10]
        saved = bytes(onefold.gather("mean,var,argmax", piece, first=part * 10))
        assert done.setdefault(part, saved) == saved
        if rng.random() < 0.05:
            queue.append(part)
    assert runs > parts
    order = list(done.values())
    rng.shuffle(order)
    total = onefold.State.load(order[0])
    for k in range(1, len(order), 1000):  # merged by groups, as a merge of merges
        group = onefold.State.load(order[k])
        for saved in order[k + 1:k + 1000]:
            group |= onefold.State.load(saved)
        total |= group
    assert bytes(total) == bytes(onefold.gather("mean,var,argmax", x))
    with pytest.raises(onefold.StateError):  # the same part twice
        total |= onefold.State.load(order[7])
