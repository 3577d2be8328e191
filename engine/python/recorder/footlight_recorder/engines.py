"""The engines that adapters record, by the package that a program imports."""
ENGINES = ('jax', 'tensorflow', 'torch')
