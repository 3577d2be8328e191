"""Trees of values, for users of JAX."""
from jax._src.tree_util import tree_leaves, tree_map
