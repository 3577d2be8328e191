// From the table of public names to Python functions: parameters as the table declares them, arguments as
// Arg, results back.
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
  int like = -1;                      // a tensor takes the dtype of that parameter
  bool must_fit = false;              // "as" for like, "fits" for of: a Python value that does not fit is refused
  bool none_in_list = false;          // "or None": None among the tensors of a list stays None
  DType preferred = DType::kInvalid;  // "of float32"
  bool handle = false;                // "or variable": a variable comes as its handle
  bool slices = false;                // "or slices": an IndexedSlices comes as ops::indexed_slices()
  bool is_name = false;               // the `name` that ops take: passed beside the arguments
  bool one_way = false;               // "after x", "follows x": takes the dtype of x, but does not give it one
  bool never_refused = false;         // "follows x": what does not fit x comes as it is, whatever else is passed
  bool one_dtype = false;             // "tensors of all": numbers without a tensor share the dtype of their list
  bool any_dtypes = false;            // "tensors of any": each has a dtype of its own
  bool variadic = false;              // "*args": every further positional argument; those behind it go by name
};

// "x: tensor, y: tensor like x, axis: ints? = None, name: str? = None". FL_CHECKs that it is well formed.
std::vector<Parameter> parse_parameters(std::string_view text);
// What a list of results becomes, behind the parameters: "-> TopK(values, indices)" a named tuple, "-> tuple" a tuple.
// Null where nothing is said: a list.
Ref parse_result(std::string_view text);

// `must_fit`: a Python value that the hint's dtype cannot hold is refused here, else it is left to the op.
Arg argument_from(PyObject*, const Parameter&, DType hint = DType::kInvalid, bool must_fit = false);
Ref object_from(const Arg&);

void init_public_functions();

}  // namespace footlight::python
