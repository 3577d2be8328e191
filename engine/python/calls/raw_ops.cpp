// Ops by their own names: raw_op("Unique", {"x": ..., "out_idx": ...}, name), which is what tf.raw_ops calls.
#include "engine/base/text.h"
#include "engine/python/calls/library.h"
#include "engine/python/calls/op_attributes.h"
#include "engine/python/interpreter/attributes.h"
#include "engine/python/interpreter/lists.h"
#include "engine/python/interpreter/module.h"
#include "engine/python/interpreter/text.h"
#include "engine/python/interpreter/walk.h"
#include "engine/python/types/convert.h"
#include "engine/python/types/graph_object.h"
#include "engine/python/types/variable_object.h"

#include <algorithm>

namespace footlight::python {
namespace {

// Whether users can call the op: not if the runtime executes it itself, or it needs a function of the graph's library.
bool callable(const OpRow& row) {
  return row.execution == Execution::kKernel &&
         std::ranges::none_of(row.attrs, [](const AttrSpec& a) { return std::string_view(a.type) == "func"; });
}

Tensor input_of(PyObject* value, DType hint) {
  if (is_variable(value)) return hint == DType::kResource ? variable_handle(value) : variable_value(value);
  if (is_tensor(value) || hint == DType::kInvalid) return to_tensor(value);
  return to_tensor_with_hint(value, hint);
}

PyObject* taken(PyObject* given, const char* name, size_t& used) {
  PyObject* value = find_item(given, name);
  if (value) ++used;
  return value;
}

DType dtype_of_attribute(const OpRow& row, int8_t index, const Attrs& attrs) {
  const AttrValue* value = attrs.find(row.attrs[static_cast<size_t>(index)].key);
  const DType* dtype = value ? std::get_if<DType>(value) : nullptr;
  return dtype ? *dtype : DType::kInvalid;
}

[[noreturn]] void missing_argument(const OpRow& row, const char* argument) {
  fail(ErrorKind::kType, row.name, "() missing 1 required argument: '", argument, "'");
}

// The length of a list, as its attribute: the same for all lists that this one counts.
void set_length(const OpRow& row, const ArgSpec& list, size_t length, std::vector<const ArgSpec*>& counted,
                Attrs& attrs) {
  if (list.count_attr < 0) return;
  const AttrName key = row.attrs[static_cast<size_t>(list.count_attr)].key;
  const auto first = std::ranges::find(counted, list.count_attr, &ArgSpec::count_attr);
  if (first != counted.end() && attrs.get<int64_t>(key) != static_cast<int64_t>(length))
    fail(ErrorKind::kValue, "List argument '", list.name, "' to '", row.name, "' Op with length ", length,
         " must match length ", attrs.get<int64_t>(key), " of argument '", (*first)->name, "'.");
  attrs.set(key, static_cast<int64_t>(length));
  counted.push_back(&list);
}

// The inputs in order. Python values take the dtype that the first tensor of their kind decided.
std::vector<Tensor> inputs_of(const OpRow& row, PyObject* given, Attrs& attrs, size_t& used) {
  std::vector<Tensor> inputs;
  std::vector<const ArgSpec*> counted;
  std::vector<DType> decided(row.attrs.size(), DType::kInvalid);
  // Tensors first: they decide a dtype also for the Python values before them.
  for (const ArgSpec& spec : row.inputs) {
    if (spec.type_attr < 0 || spec.list) continue;
    DType& dtype = decided[static_cast<size_t>(spec.type_attr)];
    if (dtype == DType::kInvalid) dtype = dtype_of_attribute(row, spec.type_attr, attrs);
    PyObject* value = find_item(given, spec.name);
    if (dtype == DType::kInvalid && value && (is_tensor(value) || is_variable(value)))
      dtype = input_of(value, DType::kInvalid).dtype();
  }
  for (const ArgSpec& spec : row.inputs) {
    PyObject* value = taken(given, spec.name, used);
    if (!value) missing_argument(row, spec.name);
    DType* const shared = spec.type_attr >= 0 ? &decided[static_cast<size_t>(spec.type_attr)] : nullptr;
    const auto add = [&](PyObject* one) {
      DType hint = spec.dtype;
      if (hint == DType::kInvalid && shared && !(spec.list && spec.count_attr < 0)) hint = *shared;
      if (hint == DType::kInvalid && shared) {  // the op's only dtype, or its default
        const AttrSpec& attr = row.attrs[static_cast<size_t>(spec.type_attr)];
        if (attr.has_default && std::holds_alternative<DType>(attr.otherwise)) hint = std::get<DType>(attr.otherwise);
        Tensor t = input_of(one, DType::kInvalid);
        if (!in_set(t.dtype(), attr.allowed) && hint != DType::kInvalid) t = input_of(one, hint);
        if (!spec.list || spec.count_attr >= 0) *shared = t.dtype();
        inputs.push_back(std::move(t));
        return;
      }
      inputs.push_back(input_of(one, hint));
    };
    if (!spec.list) {
      add(value);
      continue;
    }
    const size_t before = inputs.size();
    for (PyObject* one : Items(value)) add(one);
    set_length(row, spec, inputs.size() - before, counted, attrs);
  }
  return inputs;
}

[[noreturn]] void refuse_unknown(const OpRow& row, PyObject* given) {
  PyObject *key, *value;
  for (Py_ssize_t at = 0; PyDict_Next(given, &at, &key, &value);) {
    const std::string_view name = utf8(key);
    if (!attribute_named(row, name) &&
        std::ranges::none_of(row.inputs, [&](const ArgSpec& spec) { return spec.name == name; }))
      fail(ErrorKind::kType, row.name, "() got an unexpected keyword argument '", name, "'");
  }
  fail(ErrorKind::kType, row.name, "() got an argument twice");
}

PyObject* raw_op(PyObject*, PyObject* args) {
  const char *op, *name = nullptr;
  PyObject* given;
  if (!PyArg_ParseTuple(args, "sO!|z:raw_op", &op, &PyDict_Type, &given, &name)) return nullptr;
  const OpRow* row = find_row(op);
  if (!row || !callable(*row)) fail(ErrorKind::kValue, "no op ", op, " can be called by its name");
  Attrs attrs;
  size_t used = 0;
  for (const AttrSpec& spec : row->attrs) {
    if (PyObject* value = taken(given, spec.name, used); value && value != Py_None) set_attribute(attrs, spec, value);
    else if (!spec.hidden && !spec.has_default) missing_argument(*row, spec.name);
  }
  const std::vector<Tensor> inputs = inputs_of(*row, given, attrs, used);
  if (used != static_cast<size_t>(PyDict_GET_SIZE(given))) refuse_unknown(*row, given);
  const size_t nodes = nodes_of_plain_graph();
  const std::vector<Tensor> outputs = apply_all(*row, inputs, attrs, name ? name : "");
  if (const Ref made = outputs.empty() ? operation_since(nodes) : Ref(); made && made.get() != Py_None)
    return checked(Py_BuildValue("[O]", made.get())).release();
  return wrap_all(outputs);
}

// op_signature(op): the names of its inputs, of the attributes that are not inferred, of its outputs, and of those that
// are lists if all of these are as long as each other; None where there is no op of that name to call.
PyObject* op_signature(PyObject*, PyObject* op) {
  const OpRow* row = find_row(utf8(op));
  if (!row || !callable(*row)) Py_RETURN_NONE;
  const auto names = [](const auto& specs, auto&& wanted) {
    return list_of(specs, [&](const auto& spec) {
      return wanted(spec) ? checked(PyUnicode_FromString(spec.name)) : Ref();
    });
  };
  const auto all = [](const ArgSpec&) { return true; };
  const Ref inputs = names(row->inputs, all), outputs = names(row->output_specs, all);
  const Ref attrs = names(row->attrs, [](const AttrSpec& a) { return !a.hidden; });
  const ArgSpec* first = nullptr;
  bool one_length = true;
  for (const ArgSpec& spec : row->output_specs) {
    if (!spec.list) continue;
    one_length &= !first || (spec.count_attr >= 0 && spec.count_attr == first->count_attr);
    first = &spec;
  }
  const Ref lists = names(row->output_specs, [&](const ArgSpec& spec) { return spec.list && one_length; });
  return PyTuple_Pack(4, inputs.get(), attrs.get(), outputs.get(), lists.get());
}

PyMethodDef functions[] = {
    {"raw_op", guard<raw_op>, METH_VARARGS,
     "raw_op(op, arguments, name=None)\n--\n\nThe outputs of an op; its inputs and attributes by their names."},
    {"op_signature", guard<op_signature>, METH_O,
     "op_signature(op)\n--\n\nThe names of an op's inputs, attributes, outputs and lists of outputs."},
    {nullptr, nullptr, 0, nullptr}};

}  // namespace

void init_raw_ops(PyObject* module) { if (PyModule_AddFunctions(module, functions) < 0) throw PythonErrorSet(); }

}  // namespace footlight::python
