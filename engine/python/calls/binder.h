// Makes Python functions from the table of public names: parses declared parameters, converts arguments to Arg and
// results back.
#pragma once

#include "engine/ops/public_names.h"
#include "engine/python/types/objects.h"

#include <string>
#include <vector>

namespace footlight::python {

enum class ParameterType : uint8_t {
  kTensor,
  kTensors,
  kTensorOrTensors,
  kInt,
  kInts,
  kBool,
  kFloat,
  kStr,
  kDType,
  kShape,
  kAny
};

struct Parameter {
  std::string name;
  PyObject* key = nullptr;  // the name, interned
  ParameterType type = ParameterType::kAny;
  bool optional = false;  // None is allowed
  bool has_default = false;
  Arg default_value;
  int like = -1;                      // a tensor takes the dtype of that parameter, or the one that it is
  bool must_fit = false;              // "as" (like), "fits" (of): a Python value that does not fit is an error
  bool none_in_list = false;          // "or None": None among the tensors of a list stays None
  DType preferred = DType::kInvalid;  // "of float32"
  bool handle = false;                // "or variable": a variable comes as its handle
  bool slices = false;                // "or slices": an IndexedSlices comes as ops::indexed_slices()
  bool is_name = false;               // the `name` that ops take: passed next to the arguments
  bool one_way = false;               // "after x", "follows x": takes the dtype of x, but does not give it one
  bool never_refused = false;         // "follows x": a value that does not fit x is passed unchanged
  bool one_dtype = false;             // "tensors of all": numbers without a tensor share the dtype of their list
  bool any_dtypes = false;            // "tensors of any": each has a dtype of its own
  bool variadic = false;              // "*args": all further positional arguments; later parameters are keyword-only
};

// "x: tensor, y: tensor like x, axis: ints? = None, name: str? = None". FL_CHECKs that it is well formed.
std::vector<Parameter> parse_parameters(std::string_view text);
// The return type for a list of results, after the parameters: "-> TopK(values, indices)" for a named tuple, "-> tuple"
// for a tuple. Null if none is given: a list.
Ref parse_result(std::string_view text);

// `must_fit`: a Python value that does not fit the hinted dtype is an error; otherwise that is left to the op.
Arg argument_from(PyObject*, const Parameter&, DType hint = DType::kInvalid, bool must_fit = false);
Ref object_from(const Arg&, std::span<PyObject* const> given = {});  // a tensor of `given` as that object

void init_public_functions(PyObject* module);

}  // namespace footlight::python
