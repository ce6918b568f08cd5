"""Benchmarks: ratios and medians measured in one run; `make bench` runs them all."""
