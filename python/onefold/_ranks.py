"""Merges the states of several processes over any transport.

`gather(obj)` gives the objects of all ranks, in their order, on all of them; `add(words)` adds bytes
of int64 over them, word by word. Whole numbers are added, so neither order nor tree matters.
"""

import copy

from . import _core, _errors


def merge(state, gather, add):
    error = None
    try:
        mine = state() if callable(state) else state
        if not hasattr(mine, "_message"):
            raise _errors.make(
                "bad_option", f"a State or States is merged, and this is a {type(mine).__name__}")
        kind, held, carried = mine._message()
    except BaseException as e:  # the others must not wait for a rank that failed
        error, mine = e, _core.State()
        kind, held, carried = mine._message()
    kind = (kind, type(mine).__name__) if kind else None
    everyone = gather((_code(error), _text(error), kind, held, carried))
    if error is not None and not isinstance(error, Exception):
        raise error  # ends the program; the other ranks know
    for rank, (code, text, *_) in enumerate(everyone):
        if code is not None:
            raise _errors.make(code, f"rank {rank}: {text}") from error
    kinds = [k for _, _, k, _, _ in everyone]
    holders = [rank for rank, k in enumerate(kinds) if k]
    if not holders:
        return mine
    first = holders[0]
    others = [rank for rank in holders if kinds[rank] != kinds[first]]
    if others or len(holders) < len(kinds):
        states = gather(mine)  # seldom: nothing of no kind, or a mistake
        if others:
            _differ(states, first, others[0])
        mine = mine if kind else states[first]
    held = _union([everyone[rank][3] for rank in holders])
    words = mine._added(held)
    return mine._merged(held, add(words if kind else bytes(len(words))),
                        [everyone[rank][4] for rank in holders])


def _union(held):
    """The bitwise or of `held`, which has the same number of bits from each rank."""
    bits = 0
    for h in held:
        bits |= int.from_bytes(h, "little")
    return bits.to_bytes(len(held[0]), "little")


def _code(error):
    if error is None:
        return None
    if isinstance(error, MemoryError):
        return "out_of_memory"
    return getattr(error, "code", "peer_failed") if isinstance(error, _errors.Error) \
        else "peer_failed"


def _text(error):
    try:
        return str(error) or type(error).__name__
    except Exception:
        return type(error).__name__


def _differ(states, one, other):
    """Raises the error that merging the two states gives."""
    where = f"ranks {one} and {other}: "
    try:
        copy.copy(states[one]).merge(states[other])
    except _errors.Error as e:
        raise _errors.make(e.code, where + str(e)) from None
    except TypeError:
        pass
    raise _errors.make("bad_state", where + "the states are of different kinds")
