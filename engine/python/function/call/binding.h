// The parameters of a Python callable, and arguments put in their order.
#pragma once

#include "engine/base/text.h"
#include "engine/python/interpreter/ref.h"

#include <string>
#include <string_view>
#include <vector>

namespace footlight::python {

struct FunctionParameter {
  enum Kind : uint8_t { kPositionalOnly, kPositionalOrKeyword, kVarArgs, kKeywordOnly, kVarKeywords };
  std::string name;
  Ref name_object;  // interned
  Kind kind;
  Ref otherwise;    // the default; empty: none
};

struct FunctionSignature {
  std::vector<FunctionParameter> parameters;
  int positional = 0;      // how many parameters may be given by position
  int var_args = -1, var_keywords = -1;
  bool plain = false;      // positional ones only: a call with just these needs no binding
};
FunctionSignature signature_of(PyObject* callable);

// Arguments in the order of the parameters: *args as a tuple, **kwargs as a dict, defaults filled in.
struct BoundArguments {
  std::vector<Ref> values;
};
// The message is TensorFlow's, which programs may search for, followed by advice.
template <class... Parts>
[[noreturn]] void cannot_bind(std::string_view why, const Parts&... more) {
  fail(ErrorKind::kType, "Binding inputs to tf.function failed due to `", why, "`: ", more...);
}
// Throws TypeError that names the function and what is missing or too much.
void bind_arguments(const FunctionSignature&, const std::string& function, PyObject* const* args,
                    Py_ssize_t nargs, PyObject* kwnames, BoundArguments&, bool defaults = true);

}  // namespace footlight::python
