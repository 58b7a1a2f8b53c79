"""Groups by keys, segments, and the columns of frames and tables."""
