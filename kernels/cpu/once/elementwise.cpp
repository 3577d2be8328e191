// The driver of loops over elements, in the namespace of the kernels of this folder.
#include "kernels/cpu/elementwise.cpp"
#include "kernels/cpu/half_block.cpp"
