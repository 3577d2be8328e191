"""Loops over rows, lists of tensors, Python in graphs, and order."""
