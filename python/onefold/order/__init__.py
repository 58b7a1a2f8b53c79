"""Statistics of order: quantiles, modes, histograms."""
