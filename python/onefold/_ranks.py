"""Merges the states of several processes over any transport.

`gather(data)` gives the bytes of all ranks, in their order, on all of them; every rank brings as many.
`add(words)` adds bytes of int64 over them, word by word. Whole numbers are added, so neither order nor
tree matters.

A rank sends what it has to say in one gather of a fixed size: its error, or the kind of its state, and
the words of a small State, which each rank then adds itself. So a small State takes one collective. More
than fits is sent by a second gather; the words of States, or over many ranks, by `add`, once all ranks
have said that they have them.

A rank that fails before the last collective says so in the next one, and all ranks raise its error. If it
cannot even say that, `abort()` ends what the others wait for.
"""

import copy
import pickle

import numpy

from . import _core, errors


def _frame(ranks):
    """The bytes of the first gather: a State of mean and var of f64 takes 1,900."""
    return 4096 if ranks <= 64 else 512


def _exchange(thing, gather, ranks):
    """Gathers one object from each rank."""
    data, room = pickle.dumps(thing), _frame(ranks) - 8
    heads = gather((len(data).to_bytes(8, "little") + data[:room]).ljust(room + 8, b"\0"))
    sizes = [int.from_bytes(head[:8], "little") for head in heads]
    longest = max(sizes) - room
    rests = gather(data[room:].ljust(longest, b"\0")) if longest > 0 else [b""] * len(heads)
    return [pickle.loads((head[8:] + rest)[:n]) for head, rest, n in zip(heads, rests, sizes)]


def _small_words(state, kind, held, carried, ranks):
    """The words of a State that are sent with its kind; None if they are too long. Of logsumexp none are added."""
    if isinstance(state, _core.LogsumexpStates):
        return b""
    if not kind or not isinstance(state, _core.State):
        return None
    words = state._added(held)
    return words if len(words) + len(carried) <= _frame(ranks) - 512 else None


def merge(state, gather, add, ranks=1, abort=lambda: None):
    try:
        finish = _agree(state, gather, add, ranks)
    except BaseException:  # of this rank alone, while others wait for it
        abort()
        raise
    return finish()


def _raises(error, cause=None):
    def raise_it():
        raise error from cause
    return raise_it


def _agree(state, gather, add, ranks):
    """Returns the step after the last collective: it raises the ranks' error, or merges the states."""
    error = None
    try:
        mine = state() if callable(state) else state
        if not hasattr(mine, "_message"):
            raise errors.make(
                "bad_option", f"the state of this rank is a {type(mine).__name__}, but must be a State, States or "
                "LogsumexpStates")
        kind, held, carried = mine._message()
        words = _small_words(mine, kind, held, carried, ranks)
    except BaseException as e:  # the others must not wait for a rank that failed
        error, mine = e, _core.State()
        (kind, held, carried), words = mine._message(), None
    kind = (kind, type(mine).__name__) if kind else None
    everyone = _exchange((_code(error), _text(error), kind, held, carried, words), gather, ranks)
    failed = _failed(everyone, error)
    if failed:
        return failed
    kinds = [k for _, _, k, *_ in everyone]
    holders = [rank for rank, k in enumerate(kinds) if k]
    if not holders:
        return lambda: mine
    first = holders[0]
    others = [rank for rank in holders if kinds[rank] != kinds[first]]
    if others or len(holders) < len(kinds):
        states = _exchange(mine, gather, ranks)  # seldom: nothing of no kind, or a mistake
        if others:
            return lambda: _differ(states, first, others[0])
        mine = mine if kind else states[first]
    held = _union([everyone[rank][3] for rank in holders])
    carried = [everyone[rank][4] for rank in holders]
    parts = [everyone[rank][5] for rank in holders]
    if None not in parts:
        def total():
            return numpy.add.reduce(
                numpy.frombuffer(b"".join(parts), numpy.int64).reshape(len(parts), -1)).tobytes()
        return lambda: mine._merged(held, total(), carried)
    try:
        words = mine._added(held)
        words = words if kind else bytes(len(words))
    except BaseException as e:
        error = e
    failed = _failed(_exchange((_code(error), _text(error)), gather, ranks), error)
    if failed:
        return failed
    sums = add(words)
    return lambda: mine._merged(held, sums, carried)


def _failed(everyone, error):
    """Returns a function that raises the first error of all ranks, or None without an error."""
    if error is not None and not isinstance(error, Exception):
        return _raises(error)  # ends the program; the other ranks know
    for rank, (code, text, *_) in enumerate(everyone):
        if code is not None:
            return _raises(errors.make(code, f"rank {rank}: {text}"), error)
    return None


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
    return getattr(error, "code", "peer_failed") if isinstance(error, errors.Error) \
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
    except errors.Error as e:
        raise errors.make(e.code, where + str(e)) from None
    except TypeError:
        pass
    raise errors.make("bad_state", where + "the states are of different kinds")


def words_of(states):
    """The words of LogsumexpStates, as bytes: the last ones that are saved, ahead of a checksum of 4 bytes."""
    saved = bytes(states)
    return saved[len(saved) - 4 - 8 * _core.LogsumexpStates.words_each * len(states):-4]
