// The tensors for a call of a trace: arguments as its function takes them, or each tensor by itself.
#include "engine/python/function/call/concrete_arguments.h"

#include "engine/base/text.h"
#include "engine/python/function/call/binding.h"
#include "engine/python/function/call/output.h"
#include "engine/python/function/call/rebuild.h"
#include "engine/python/function/tracing/trace_entry.h"
#include "engine/python/interpreter/attributes.h"
#include "engine/python/interpreter/text.h"
#include "engine/python/types/convert.h"
#include "engine/python/types/nest.h"
#include "engine/python/types/spec_object.h"
#include "engine/python/types/variable_object.h"

#include <algorithm>
#include <unordered_map>

namespace footlight::python {

static const Graph& graph_of(const TraceEntry& entry) { return *entry.concrete->graph(); }

namespace {

std::string cannot_cast(const std::string& value, const std::string& type) {
  return str("Can not cast ", value, " to ", type);
}

}  // namespace

// The tensor for input `index`, checked against its placeholder. `converts`: a value of Python's becomes one
// too. `other_shape`: is set, in place of an error, where the shape does not fit.
Tensor checked_input(const ConcreteCall& self, size_t index, PyObject* value, const std::string& parameter,
                     bool converts, bool* other_shape) {
  const Graph& graph = graph_of(self.entry);
  const Node& placeholder = graph.node(graph.inputs[index]);
  const std::string name = self.core.name;
  if (placeholder.dtypes[0] == DType::kResource) {
    if (is_tensor(value) && tensor_of(value).dtype() == DType::kResource) return tensor_of(value);
    if (!is_variable(value))
      fail(ErrorKind::kType, "concrete function '", name, "' expects a variable for '", parameter, "', got ",
           repr_of(value));
    return variable_handle(value);
  }
  Tensor tensor;
  if (is_tensor(value))
    tensor = tensor_of(value);
  else if (is_variable(value))
    tensor = variable_value(value);
  else if (converts || is_array(value))
    tensor = to_tensor(value, placeholder.dtypes[0], parameter.c_str());
  else
    fail(ErrorKind::kType, "concrete function '", name, "' expects a tensor for '", parameter, "' (",
         spec_text({placeholder.dtypes[0], placeholder.shapes[0], {}}),
         ") where parameters that are part of it are left out, got ", repr_of(value),
         "; give all of its parameters, or wrap it in tf.constant");
  if (tensor.dtype() != placeholder.dtypes[0])
    fail(ErrorKind::kInvalidArgument, "cannot compute ", graph.name(), " as input #", index,
         "(zero-based) was expected to be a ", name_of(placeholder.dtypes[0]), " tensor but is a ",
         name_of(tensor.dtype()), " tensor (concrete function '", name, "')");
  if (!is_subshape(tensor.shape(), placeholder.shapes[0])) {
    if (other_shape) {
      *other_shape = true;
      return tensor;
    }
    cannot_bind(cannot_cast(spec_text({tensor.dtype(), tensor.shape(), {}}),
                            spec_text({placeholder.dtypes[0], placeholder.shapes[0], {}})),
                "concrete function '", name, "' expects shape ", placeholder.shapes[0].to_string(), " for '",
                parameter, "', got ", tensor.shape().to_string());
  }
  return tensor;
}

// The value of a parameter in the trace, from structured_input_signature.
Ref declared(const TraceEntry& entry, size_t parameter, size_t& positional) {
  if (entry.input_kinds[parameter] == FunctionParameter::kKeywordOnly) {
    const std::string& name = entry.input_names[parameter];
    if (PyObject* value = find_item(entry.structured_kwargs.get(), name.c_str())) return Ref::borrow(value);
    PyObject *key, *value;  // a key of **kwargs that is not valid UTF-8
    for (Py_ssize_t at = 0; PyDict_Next(entry.structured_kwargs.get(), &at, &key, &value);)
      if (readable(key) == name) return Ref::borrow(value);
    return {};
  }
  return Ref::borrow(PyTuple_GET_ITEM(entry.structured_args.get(), static_cast<Py_ssize_t>(positional++)));
}

namespace {

bool is_literal(PyObject* o) {
  return o == Py_None || PyBool_Check(o) || PyLong_CheckExact(o) || PyFloat_CheckExact(o) ||
         PyUnicode_CheckExact(o) || PyBytes_CheckExact(o);
}

void check_bound(const ConcreteCall& self, const std::string& parameter, const std::string& type,
                 PyObject* given, PyObject* value) {
  // A trace does not keep objects, so there is nothing to compare with; literals are compared by type
  // and value.
  if (type.starts_with("Literal[") && is_literal(value) &&
      (Py_TYPE(given) != Py_TYPE(value) || PyObject_RichCompareBool(given, value, Py_EQ) != 1) &&
      type == type_text(value))
    cannot_bind(cannot_cast(repr_of(given), type), "concrete function '", self.core.name,
                "' was traced with ", parameter, "=", repr_of(value), ", which is a part of it; it got ",
                repr_of(given), ". Ask the function for another concrete function, or call it");
}

void take_parameter(const ConcreteCall& self, size_t i, PyObject* given, PyObject* want, bool converts,
                    std::vector<Tensor>& inputs) {
  TraceEntry& entry = self.entry;
  const std::vector<size_t>& leaves = entry.leaves_of[i];
  if (leaves.empty()) {
    if (given && want) check_bound(self, entry.input_names[i], entry.input_types[i], given, want);
    return;
  }
  if (!given)
    cannot_bind(str("missing a required argument: '", entry.input_names[i], "'"), "concrete function '",
                self.core.name, function_type_text(entry), "' was called without it");
  if (leaves.size() == 1 && is_spec(want)) {
    inputs[leaves[0]] = checked_input(self, leaves[0], given, entry.input_names[i], converts);
    return;
  }
  if (flattens_itself(want) && Py_TYPE(given) == Py_TYPE(want) &&
      !are_equal(flattened(given).metadata.get(), flattened(want).metadata.get()))
    cannot_bind(str("Metadata mismatch: ", repr_of(flattened(want).metadata.get()),
                    " != ", repr_of(flattened(given).metadata.get())),
                "concrete function '", self.core.name, "', argument '", entry.input_names[i], "'");
  size_t next = 0;
  Rebuilder([&](PyObject* leaf) {
    if (next < leaves.size())
      inputs[leaves[next]] = checked_input(self, leaves[next], leaf, entry.input_names[i], converts);
    ++next;
    return Ref::borrow(leaf);
  }).rebuild(given);
  if (next != leaves.size()) {
    // The message is TensorFlow's: the given value, and the expected kind of structure.
    const char* kind = !want                                            ? nullptr
                       : PyDict_Check(want) && !PyDict_Check(given)     ? "a Dict type."
                       : PyList_Check(want) && !PyList_Check(given)     ? "list type."
                       : PyTuple_Check(want) && !PyTuple_Check(given)   ? "tuple type."
                                                                        : nullptr;
    cannot_bind(kind ? cannot_cast(repr_of(given), kind) : cannot_cast(type_text(given), entry.input_types[i]),
                "concrete function '", self.core.name,
                "' got ", repr_of(given), " for '", entry.input_names[i], "'");
  }
}

}  // namespace

// The name of each tensor among the arguments, where each is given by itself: "x", "x_1" of a list.
std::vector<std::string> flat_names(const TraceEntry& entry) {
  std::vector<std::string> names;
  std::unordered_map<std::string, size_t> counts;
  for (const std::string& wanted : entry.tensor_names) {
    std::string name = wanted;
    while (std::ranges::find(names, name) != names.end()) name = str(wanted, "_", ++counts[wanted]);
    names.push_back(std::move(name));
  }
  return names;
}

// Arguments of which each is one of the tensors, without the structures that they are parts of.
std::vector<Tensor> flat_arguments(const ConcreteCall& self, PyObject* const* args, Py_ssize_t nargs,
                                   PyObject* kwnames, bool* other_shapes) {
  const std::vector<std::string> names = flat_names(self.entry);
  std::string shown = self.core.name + '(';
  for (size_t i = 0; i < names.size(); ++i) shown += (i ? ", " : "") + names[i];
  shown += ')';
  const auto refuse = [&](const auto&... why) { fail(ErrorKind::kType, shown, why...); };
  if (static_cast<size_t>(nargs) > names.size())
    refuse(" takes ", names.size(), " positional arguments but got ", nargs);
  std::vector<PyObject*> given(names.size(), nullptr);
  std::copy_n(args, nargs, given.begin());
  for (Py_ssize_t k = 0; kwnames && k < PyTuple_GET_SIZE(kwnames); ++k) {
    const std::string name = readable(PyTuple_GET_ITEM(kwnames, k));
    const auto found = std::ranges::find(names, name);
    if (found == names.end()) refuse(" got unexpected keyword arguments: ", name);
    PyObject*& slot = given[static_cast<size_t>(found - names.begin())];
    if (slot) refuse(" got two values for '", name, "'");
    slot = args[nargs + k];
  }
  std::string missing;
  for (size_t i = 0; i < names.size(); ++i)
    if (!given[i]) missing += (missing.empty() ? "" : ", ") + names[i];
  if (!missing.empty()) refuse(" missing required arguments: ", missing);
  std::vector<Tensor> inputs;
  for (size_t i = 0; i < names.size(); ++i) {
    if (!is_tensor(given[i]) && !is_variable(given[i]))
      refuse(": expected argument #", i, "(zero-based) to be a Tensor; got ", Py_TYPE(given[i])->tp_name,
             " (", repr_of(given[i]), ")");
    inputs.push_back(checked_input(self, i, given[i], names[i], false, other_shapes));
  }
  return inputs;
}

namespace {

std::vector<Tensor> structured_arguments(const ConcreteCall& self, PyObject* const* args, Py_ssize_t nargs,
                                         PyObject* kwnames) {
  TraceEntry& entry = self.entry;
  const size_t count = entry.input_names.size();
  std::vector<Tensor> inputs(entry.concrete->parameters());
  std::vector<PyObject*> given(count, nullptr);
  size_t positional = 0, needed = 0;
  for (size_t i = 0; i < count; ++i) {
    positional += entry.input_kinds[i] != FunctionParameter::kKeywordOnly;
    needed += !entry.leaves_of[i].empty();
  }
  if (static_cast<size_t>(nargs) > positional)
    cannot_bind("too many positional arguments", "concrete function '", self.core.name,
                function_type_text(entry), "' takes ", positional, ", ", nargs, " were given");
  // Parameters that are part of the trace may be left out, so arguments may stand for the others alone.
  const bool skip =
      !kwnames && static_cast<size_t>(nargs) == needed && static_cast<size_t>(nargs) < positional;
  size_t at = 0;
  for (Py_ssize_t i = 0; i < nargs; ++i) {
    while (skip && at < count && entry.leaves_of[at].empty()) ++at;
    if (at < count) given[at++] = args[i];
  }
  for (Py_ssize_t k = 0; kwnames && k < PyTuple_GET_SIZE(kwnames); ++k) {
    const std::string name = readable(PyTuple_GET_ITEM(kwnames, k));
    const auto found = std::ranges::find(entry.input_names, name);
    if (found == entry.input_names.end())
      cannot_bind(str("got an unexpected keyword argument '", name, "'"), "concrete function '",
                  self.core.name, function_type_text(entry), "' has none of that name");
    PyObject*& slot = given[static_cast<size_t>(found - entry.input_names.begin())];
    if (slot)
      cannot_bind(str("multiple values for argument '", name, "'"), "concrete function '", self.core.name,
                  "' got it by place and by name");
    slot = args[nargs + k];
  }
  const bool whole = std::ranges::find(given, nullptr) == given.end();
  size_t next = 0;
  for (size_t i = 0; i < count; ++i)
    take_parameter(self, i, given[i], declared(entry, i, next).get(), whole, inputs);
  return inputs;
}

}  // namespace

// Binds by the function's own parameters or, if that fails, tensor by tensor; then shapes may differ too, if the caller
// can run the function for others.
std::vector<Tensor> concrete_arguments(const ConcreteCall& self, PyObject* const* args, Py_ssize_t nargs,
                                       PyObject* kwnames, bool* other_shapes) {
  try {
    return structured_arguments(self, args, nargs, kwnames);
  } catch (const Error& structured) {
    if (structured.kind() != ErrorKind::kType) throw;
    try {
      return flat_arguments(self, args, nargs, kwnames, other_shapes);
    } catch (const Error& flat) {
      throw Error(
          structured.kind(),
          str(structured.message(), "\nFallback to flat signature also failed due to: ", flat.message()));
    }
  }
}

}  // namespace footlight::python
