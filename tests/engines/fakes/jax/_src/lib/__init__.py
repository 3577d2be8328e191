"""What JAX takes from its library in C++."""
