// Python values as tensors: numbers, strings, nested lists, objects that share memory (NumPy arrays),
// tensors, variables.
#pragma once

#include "engine/python/types/objects.h"

#include <optional>

namespace footlight::python {

// A bare number, bool, string or bytes as a scalar; nothing for anything else. kInvalid: int32 (int64 when
// large), float32, bool, string, complex128. Throws kType when the value does not become that dtype.
std::optional<Tensor> scalar_from_object(PyObject*, DType dtype = DType::kInvalid);

// Like to_tensor(), with a dtype that is only a hint.
Tensor to_tensor_with_hint(PyObject*, DType hint);

// An operand next to a tensor of `dtype` takes that dtype: arrays are cast, Python values must fit (kType), or
// come as they are when that is left to the op to complain about.
enum class Misfit { kRefuse, kLeaveToOp };
Tensor operand(PyObject*, DType dtype, Misfit = Misfit::kLeaveToOp);

// Whether an operator should try to convert this at all (else it returns NotImplemented).
bool may_be_operand(PyObject*);

// A copy of the value on the host when it is elsewhere; throws kInaccessible... for symbolic tensors: `what`
// says what for.
Tensor on_host(const Tensor&);
// The value on another device; throws if that does not exist. Symbolic: an Identity there.
Tensor copied_to(const Tensor&, Device);

// The value of a tensor (host memory) as Python objects: a number, bytes, nested lists.
Ref python_value(const Tensor&);

// Whether a NumPy array, NumPy scalar or anything else with the buffer protocol or __array__.
bool is_array(PyObject*);

void init_conversions();

}  // namespace footlight::python
