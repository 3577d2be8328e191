// Compiles the driver of elementwise loops once more, in the namespace of this folder's kernels.
#include "kernels/cpu/elementwise.cpp"
#include "kernels/cpu/half_block.cpp"
