"""What pickles of states name: their loaders."""

from . import _core


def load_state(data):
    """Unpickles a State."""
    return _core.State.load(data)


def load_states(saved):
    """Unpickles the States of slices."""
    return _core.States.load(saved)


def load_logsumexp(saved):
    """Unpickles LogsumexpStates."""
    return _core.LogsumexpStates.load(saved)
