"""Folds: a request is checked once, computed on the host or a device, and wrapped for the caller."""
