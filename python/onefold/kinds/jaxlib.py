"""Arrays of JAX, whose type is one of jaxlib."""

from .jax import kind  # noqa: F401
