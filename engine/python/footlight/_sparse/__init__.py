"""Sparse tensors, and rows by index."""
