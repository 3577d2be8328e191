"""The version of this JAX."""
__version__ = '0.10.0'
