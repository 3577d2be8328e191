// Return values of traced functions: flattened into tensors while tracing, rebuilt at each call.
#include "engine/python/function/call/output.h"

#include "engine/base/text.h"
#include "engine/python/function/call/binding.h"
#include "engine/python/function/call/key.h"
#include "engine/python/function/call/rebuild.h"
#include "engine/python/function/tracing/trace_entry.h"
#include "engine/python/interpreter/attributes.h"
#include "engine/python/interpreter/module.h"
#include "engine/python/interpreter/text.h"
#include "engine/python/interpreter/walk.h"
#include "engine/python/types/convert.h"
#include "engine/python/types/graph_object.h"
#include "engine/python/types/nest.h"
#include "engine/python/types/spec_object.h"
#include "engine/python/types/variable_object.h"
#include "engine/trace/graph_builder.h"

namespace footlight::python {
namespace {

[[noreturn]] void cannot_return(PyObject* value) {
  fail(ErrorKind::kType, "to be compatible with tf.function, Python functions must return zero or more Tensors or "
       "ExtensionTypes or None values, in lists, tuples and dicts; found return value of type ",
       Py_TYPE(value)->tp_name, ", which is not a Tensor or ExtensionType: ", repr_of(value));
}

// The placeholder that a branch returns for an operation: it has run.
bool in_branch() {
  const trace::GraphBuilder* builder = trace::GraphBuilder::innermost();
  return builder && builder->kind() == trace::GraphBuilder::Kind::kBranch;
}
Tensor has_run(PyObject* operation) {
  trace::GraphBuilder& builder = *trace::GraphBuilder::innermost();
  const std::vector<NodeId> before = builder.control_scope;
  if (graph_with(operation) == builder.graph()) builder.control_scope.push_back(node_of(operation));
  const Tensor done = apply("Identity"_op, {Tensor::scalar<bool>(true).as_constant()});
  builder.control_scope = before;
  return done;
}

Tensor leaf(PyObject* value) {
  if (is_tensor(value)) return tensor_of(value);
  if (is_variable(value)) return variable_value(value);
  if (PyLong_Check(value) || PyFloat_Check(value) || PyUnicode_Check(value) || PyBytes_Check(value) ||
      PyComplex_Check(value) || is_array(value) || may_be_operand(value))
    return to_tensor(value);
  if (is_operation(value) && in_branch()) return has_run(value);
  cannot_return(value);
}

}  // namespace

OutputTemplate take_outputs(PyObject* result, std::vector<Tensor>& tensors) {
  const Level level("the result of a traced function");
  OutputTemplate out;
  if (result == Py_None) return out;
  if (is_tensor(result) || is_variable(result)) {
    out.kind = OutputTemplate::kTensor;
    out.index = tensors.size();
    tensors.push_back(leaf(result));
    return out;
  }
  const bool list = PyList_Check(result);
  if (!list && flattens_itself(result)) {
    const Flattened parts = flattened(result);
    out.kind = OutputTemplate::kFlattened;
    out.type = Ref::borrow(reinterpret_cast<PyObject*>(Py_TYPE(result)));
    out.keys.push_back(parts.metadata);
    for (const Ref& part : parts.components) out.children.push_back(take_outputs(part.get(), tensors));
    return out;
  }
  if (list || PyTuple_Check(result)) {
    out.kind = list                    ? OutputTemplate::kList
               : is_namedtuple(result) ? OutputTemplate::kNamedTuple
                                       : OutputTemplate::kTuple;
    if (out.kind == OutputTemplate::kNamedTuple) out.type = Ref::borrow(reinterpret_cast<PyObject*>(Py_TYPE(result)));
    for (PyObject* item : Items::stored(result)) out.children.push_back(take_outputs(item, tensors));
    return out;
  }
  if (is_mapping(result)) {
    out.kind = OutputTemplate::kDict;
    out.type = Ref::borrow(reinterpret_cast<PyObject*>(Py_TYPE(result)));
    // The tensors in the order of the sorted keys, the entries in the order of the user's dict.
    const Items sorted(sorted_keys(result).get());
    const Items in_order(checked(PyMapping_Keys(result)).get());
    std::vector<OutputTemplate> by_sorted;
    for (PyObject* key : sorted) {
      const Ref value = checked(PyObject_GetItem(result, key));
      by_sorted.push_back(take_outputs(value.get(), tensors));
    }
    for (PyObject* key : in_order) {
      Py_ssize_t i = 0;
      while (i < sorted.size() && !are_equal(key, sorted[i])) ++i;
      if (i == sorted.size()) changed_meanwhile();
      out.children.push_back(std::move(by_sorted[static_cast<size_t>(i)]));
      out.keys.push_back(Ref::borrow(key));
    }
    return out;
  }
  if (is_typed_composite(result)) {
    out.kind = OutputTemplate::kComposite;
    out.type = composite_spec(result);
    out.children.push_back(take_outputs(composite_parts(out.type.get(), result).get(), tensors));
    return out;
  }
  if (is_composite(result)) {
    out.kind = OutputTemplate::kNamedTuple;
    out.type = Ref::borrow(reinterpret_cast<PyObject*>(Py_TYPE(result)));
    Ref names = record_field_names(result);
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(names.get()); ++i) {
      Ref part = checked(PyObject_GetAttr(result, PyTuple_GET_ITEM(names.get(), i)));
      out.children.push_back(take_outputs(part.get(), tensors));
    }
    return out;
  }
  out.kind = OutputTemplate::kTensor;
  out.index = tensors.size();
  tensors.push_back(leaf(result));
  return out;
}

Ref put_together(const OutputTemplate& out, std::span<const Ref> leaves) {
  switch (out.kind) {
    case OutputTemplate::kTensor: return leaves[out.index];
    case OutputTemplate::kNone: return Ref::borrow(Py_None);
    case OutputTemplate::kList: {
      Ref list = checked(PyList_New(static_cast<Py_ssize_t>(out.children.size())));
      for (size_t i = 0; i < out.children.size(); ++i)
        PyList_SET_ITEM(list.get(), static_cast<Py_ssize_t>(i), put_together(out.children[i], leaves).release());
      return list;
    }
    case OutputTemplate::kTuple:
    case OutputTemplate::kNamedTuple: {
      Ref tuple = checked(PyTuple_New(static_cast<Py_ssize_t>(out.children.size())));
      for (size_t i = 0; i < out.children.size(); ++i)
        PyTuple_SET_ITEM(tuple.get(), static_cast<Py_ssize_t>(i), put_together(out.children[i], leaves).release());
      if (out.kind == OutputTemplate::kTuple) return tuple;
      return checked(PyObject_CallMethod(out.type.get(), "_make", "(O)", tuple.get()));
    }
    case OutputTemplate::kComposite:
      return checked(PyObject_CallMethod(out.type.get(), "_from_components", "(O)",
                                         put_together(out.children[0], leaves).get()));
    case OutputTemplate::kFlattened: {
      std::vector<Ref> parts;
      for (const OutputTemplate& child : out.children) parts.push_back(put_together(child, leaves));
      return unflattened(out.type.get(), out.keys[0].get(), parts);
    }
    case OutputTemplate::kDict: {
      Ref dict = checked(PyDict_New());
      for (size_t i = 0; i < out.children.size(); ++i)
        if (PyDict_SetItem(dict.get(), out.keys[i].get(), put_together(out.children[i], leaves).get()) < 0)
          throw PythonErrorSet();
      if (out.type.get() == reinterpret_cast<PyObject*>(&PyDict_Type)) return dict;
      Ref same = Ref::steal(PyObject_CallOneArg(out.type.get(), dict.get()));
      if (!same) clear_only(PyExc_Exception);  // a mapping with its own constructor
      return same ? same : dict;
    }
  }
  return Ref::borrow(Py_None);
}

Ref result_of(const TraceEntry& entry, std::span<Tensor> outputs) {
  if (entry.single_tensor) return checked(wrap(std::move(outputs[0])));
  std::vector<Ref> leaves;
  leaves.reserve(outputs.size());
  for (Tensor& output : outputs) leaves.push_back(checked(wrap(std::move(output))));
  return put_together(entry.outputs, leaves);
}

// --- the printed types ---
namespace {

std::string tensor_text(DType dtype, const Shape& shape) { return spec_text({dtype, shape, {}}); }

std::string short_name(PyTypeObject* type) {
  const std::string name = type->tp_name;
  return name.substr(name.rfind('.') + 1);
}

std::string flattened_text(PyObject* metadata, const std::vector<std::string>& components) {
  std::string out = str("CustomNestTraceType [metadata=", repr_of(metadata), ", components=(");
  for (size_t i = 0; i < components.size(); ++i) out += (i ? ", " : "") + components[i];
  return out + (components.size() == 1 ? ",)]" : ")]");
}

std::string fields_text(const std::string& name, const std::vector<std::pair<std::string, std::string>>& fields) {
  std::string out = name + '[';
  for (size_t i = 0; i < fields.size(); ++i)
    out += (i ? ", [" : "[") + fields[i].first + ", " + fields[i].second + ']';
  return out + ']';
}

}  // namespace

std::string type_text(PyObject* value) {
  const Level level("the type of an argument");
  if (is_tensor(value)) return tensor_text(tensor_of(value).dtype(), tensor_of(value).shape());
  if (is_spec(value)) return spec_text({spec_of(value).dtype, spec_of(value).shape, {}});
  if (is_variable(value))
    return str("VariableSpec(shape=", variable_shape(value).to_string(), ", dtype=tf.", name_of(variable_dtype(value)),
               ", trainable=", variable_trainable(value) ? "True" : "False", ", alias_id=0)");
  if (is_typed_composite(value)) return repr_of(composite_spec(value).get());
  if (is_namedtuple(value)) {
    const Items names(checked(PyObject_GetAttrString(value, "_fields")).get());
    std::vector<std::pair<std::string, std::string>> fields;
    for (Py_ssize_t i = 0; i < std::min(names.size(), PyTuple_GET_SIZE(value)); ++i)
      fields.emplace_back(repr_of(names[i]), type_text(PyTuple_GET_ITEM(value, i)));
    return fields_text(short_name(Py_TYPE(value)), fields);
  }
  const bool list = PyList_Check(value);
  if (!list && flattens_itself(value)) {
    const Flattened parts = flattened(value);
    std::vector<std::string> components;
    for (const Ref& part : parts.components) components.push_back(type_text(part.get()));
    return flattened_text(parts.metadata.get(), components);
  }
  if (list || PyTuple_Check(value)) {
    std::string out = list ? "List[" : "Tuple[";
    const char* between = "";
    for (PyObject* item : Items::stored(value)) out += std::exchange(between, ", ") + type_text(item);
    return out + ']';
  }
  if (is_mapping(value)) {
    std::vector<std::pair<std::string, std::string>> fields;
    for (PyObject* key : Items(checked(PyMapping_Keys(value)).get()))
      fields.emplace_back(repr_of(key), type_text(checked(PyObject_GetItem(value, key)).get()));
    return fields_text("Dict", fields);
  }
  if (is_array(value) && !PyType_Check(value)) {
    const Tensor t = to_tensor(value);
    return tensor_text(t.dtype(), t.shape());
  }
  return "Literal[" + repr_of(value) + ']';
}

std::string output_text(const OutputTemplate& out, const Graph& graph) {
  switch (out.kind) {
    case OutputTemplate::kTensor: {
      const Edge edge = graph.outputs[out.index];
      return tensor_text(graph.node(edge.node).dtypes[edge.output], graph.node(edge.node).shapes[edge.output]);
    }
    case OutputTemplate::kNone: return "Literal[None]";
    case OutputTemplate::kComposite: return repr_of(out.type.get());
    case OutputTemplate::kFlattened: {
      std::vector<std::string> components;
      for (const OutputTemplate& child : out.children) components.push_back(output_text(child, graph));
      return flattened_text(out.keys[0].get(), components);
    }
    case OutputTemplate::kNamedTuple: {
      const Items names(checked(PyObject_GetAttrString(out.type.get(), "_fields")).get());
      std::vector<std::pair<std::string, std::string>> fields;
      for (size_t i = 0; i < std::min(out.children.size(), static_cast<size_t>(names.size())); ++i)
        fields.emplace_back(repr_of(names[static_cast<Py_ssize_t>(i)]), output_text(out.children[i], graph));
      return fields_text(short_name(reinterpret_cast<PyTypeObject*>(out.type.get())), fields);
    }
    case OutputTemplate::kDict: {
      std::vector<std::pair<std::string, std::string>> fields;
      for (size_t i = 0; i < out.children.size(); ++i)
        fields.emplace_back(repr_of(out.keys[i].get()), output_text(out.children[i], graph));
      return fields_text("Dict", fields);
    }
    case OutputTemplate::kList:
    case OutputTemplate::kTuple: {
      std::string text = out.kind == OutputTemplate::kList ? "List[" : "Tuple[";
      for (size_t i = 0; i < out.children.size(); ++i) text += (i ? ", " : "") + output_text(out.children[i], graph);
      return text + ']';
    }
  }
  return {};
}

std::string signature_block(const TraceEntry& entry) {
  static constexpr const char* kKinds[] = {"POSITIONAL_ONLY", "POSITIONAL_OR_KEYWORD", "VAR_POSITIONAL",
                                           "KEYWORD_ONLY", "VAR_KEYWORD"};
  std::string out = "Input Parameters:\n";
  for (size_t i = 0; i < entry.input_names.size(); ++i)
    out += "  " + entry.input_names[i] + " (" + kKinds[entry.input_kinds[i]] + "): " + entry.input_types[i] + '\n';
  if (entry.input_names.empty()) out += "  None\n";
  out += "Output Type:\n  " + entry.output_type + "\nCaptures:\n";
  const auto& captures = entry.concrete->captures();
  for (const Tensor& capture : captures) {
    const bool resource = capture.dtype() == DType::kResource;
    const uint64_t id = resource ? reinterpret_cast<uintptr_t>(capture.resource_object()) : capture.id();
    out += str("  ", id, ": ", tensor_text(capture.dtype(), resource ? Shape() : capture.shape()), "\n");
  }
  if (captures.empty()) out += "  None\n";
  out.pop_back();
  return out;
}

std::string function_type_text(const TraceEntry& entry) {
  std::string out = "(";
  bool slash = false, star = false;
  for (size_t i = 0; i < entry.input_names.size(); ++i) {
    const FunctionParameter::Kind kind = entry.input_kinds[i];
    if (i) out += ", ";
    if (slash && kind != FunctionParameter::kPositionalOnly) {
      out += "/, ";
      slash = false;
    }
    if (kind == FunctionParameter::kPositionalOnly) slash = true;
    if (kind == FunctionParameter::kKeywordOnly && !star) {
      out += "*, ";
      star = true;
    }
    out += entry.input_names[i] + ": " + entry.input_types[i];
  }
  if (slash) out += ", /";
  return out + ") -> " + entry.output_type;
}

}  // namespace footlight::python
