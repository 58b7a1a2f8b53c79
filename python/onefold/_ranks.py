"""The states of several processes become one, by whatever they talk with.

`gather(obj)` gives the objects of all ranks, in their order, on all of them; `add(words)` adds bytes
of int64 over them, word by word. Whole numbers are added, so neither order nor tree matters.
"""

from . import _core, _errors


def merge(state, gather, add):
    error = None
    try:
        mine = state() if callable(state) else state
    except Exception as e:  # the others must not wait for a rank that failed
        error, mine = e, _core.State()
    kind, words, carried = mine._message()
    hello = (_code(error), str(error), kind, carried)
    everyone = gather(hello)
    for rank, (code, text, _, _) in enumerate(everyone):
        if code is not None:
            raise _errors.make(code, f"rank {rank}: {text}") from error
    kinds = [k for _, _, k, _ in everyone]
    holders = [rank for rank, k in enumerate(kinds) if k]
    if not holders:
        return mine
    first = holders[0]
    others = [rank for rank in holders if kinds[rank] != kinds[first]]
    if others or len(holders) < len(kinds):
        states = gather(bytes(mine))  # seldom: nothing of no kind, or a mistake
        if others:
            _differ(states, first, others[0])
        if not kind:
            mine = _core.State.load(states[first])
            words = bytes(len(mine._message()[1]))
    return mine._merged(add(words), [c for _, _, _, c in everyone])


def _code(error):
    if error is None:
        return None
    if isinstance(error, MemoryError):
        return "out_of_memory"
    return getattr(error, "code", "peer_failed") if isinstance(error, _errors.Error) \
        else "peer_failed"


def _differ(states, one, other):
    """Raises what merging the two says."""
    where = f"ranks {one} and {other}: "
    state = _core.State.load(states[one])
    try:
        state.merge(_core.State.load(states[other]))
    except _errors.Error as e:
        raise _errors.make(e.code, where + str(e)) from None
    raise _errors.make("bad_state", where + "the states are of different kinds")
