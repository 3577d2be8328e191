// Tensors as text: NumPy's forms (without NumPy) for str and repr, Python's for scalars.
#pragma once

#include "engine/tensor/tensor.h"

#include <string>

namespace footlight::python {

// Host memory in all of these; eager tensors of numbers, bools or strings.

// numpy.array_str: "[1. 2.]"; for a scalar what str() of NumPy's scalar gives: "0.1", "5", "b'a'".
std::string array_str(const Tensor&);
// numpy.array_repr: "array([1., 2.], dtype=float32)"; for a scalar repr() of Python's value:
// "0.10000000149011612".
std::string array_repr(const Tensor&);
// repr() of Python's bytes: b'a\n'.
std::string bytes_repr(const std::string&);
// repr() of Python's float.
std::string float_repr(double);

}  // namespace footlight::python
