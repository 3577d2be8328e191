// The ops on datasets for Python: dataset_op("MapDataset", inputs, attributes).
#include "engine/base/text.h"
#include "engine/data/function.h"
#include "engine/ops/builder.h"
#include "engine/ops/random_seeds.h"
#include "engine/python/data/room.h"
#include "engine/python/function/function_object.h"
#include "engine/python/interpreter/attributes.h"
#include "engine/python/interpreter/text.h"
#include "engine/python/interpreter/walk.h"
#include "engine/python/types/dtype_object.h"
#include "engine/python/types/shape_object.h"
#include "engine/python/types/variable_object.h"
#include "engine/runtime/executor.h"

namespace footlight::python {
namespace {

class TracedFunction final : public data::ElementFunction {
 public:
  explicit TracedFunction(std::shared_ptr<trace::Concrete> concrete) : concrete_(std::move(concrete)) {}
  void run(std::span<const Tensor> inputs, std::span<Tensor> outputs) override {
    try {
      runtime::run(concrete_->program(), inputs, outputs, this_thread_call);
    } catch (...) {
      explain_failure();
    }
  }
  Tensor with_new_streams() override {
    const GraphPtr graph = data::graph_with_new_streams(concrete_->graph());
    if (!graph) return {};
    return data::function_value(
        new TracedFunction(std::make_shared<trace::Concrete>(graph, concrete_->captures())));
  }

 private:
  const std::shared_ptr<trace::Concrete> concrete_;
};

int64_t integer_of(PyObject* value) {
  const int64_t number = PyLong_AsLongLong(value);
  if (number == -1 && PyErr_Occurred()) throw PythonErrorSet();
  return number;
}

void set_attribute(Attrs& attrs, const AttrSpec& spec, PyObject* value) {
  const std::string_view kind = spec.type;
  const AttrName name(spec.name);
  if (kind == "func") {
    const std::shared_ptr<TraceEntry> entry = concrete_entry(value);
    attrs.set(name, entry->concrete->graph());
    attrs.set(data::handed_in(spec.name), data::function_value(new TracedFunction(entry->concrete)));
  } else if (kind == "list(type)") {
    std::vector<DType> types;
    for (PyObject* type : Items(value)) types.push_back(dtype_from_object(type));
    attrs.set(name, std::move(types));
  } else if (kind == "list(shape)") {
    std::vector<Shape> shapes;
    for (PyObject* shape : Items(value)) shapes.push_back(shape_from_object(shape));
    attrs.set(name, std::move(shapes));
  } else if (kind == "list(int)") {
    std::vector<int64_t> numbers;
    for (PyObject* number : Items(value)) numbers.push_back(integer_of(number));
    attrs.set(name, std::move(numbers));
  } else if (kind == "list(string)") {
    std::vector<std::string> texts;
    for (PyObject* text : Items(value)) texts.emplace_back(utf8(text));
    attrs.set(name, std::move(texts));
  } else if (kind == "type") {
    attrs.set(name, dtype_from_object(value));
  } else if (kind == "shape") {
    attrs.set(name, shape_from_object(value));
  } else if (kind == "bool") {
    attrs.set(name, value == Py_True);
  } else if (kind == "int") {
    attrs.set(name, integer_of(value));
  } else if (kind == "string") {
    attrs.set(name, std::string(utf8(value)));
  } else {
    fail(ErrorKind::kType, "dataset_op: no attribute of type ", kind, " can be given");
  }
}

Tensor input_of(PyObject* value) { return is_variable(value) ? variable_handle(value) : to_tensor(value); }

PyObject* dataset_op(PyObject*, PyObject* args) {
  const char *op, *name = nullptr;
  PyObject *inputs, *given;
  if (!PyArg_ParseTuple(args, "sOO!|z:dataset_op", &op, &inputs, &PyDict_Type, &given, &name)) return nullptr;
  return guarded([&]() -> PyObject* {
    const OpRow* row = find_row(op);
    if (!row) fail(ErrorKind::kValue, "no op ", op);
    std::vector<Tensor> tensors;
    for (PyObject* input : Items(inputs)) tensors.push_back(input_of(input));
    Attrs attrs;
    PyObject *key, *value;
    for (Py_ssize_t at = 0; PyDict_Next(given, &at, &key, &value);) {
      const std::string wanted(utf8(key));
      const auto* spec = std::ranges::find_if(row->attrs, [&](const AttrSpec& a) { return a.name == wanted; }).base();
      if (spec == row->attrs.data() + row->attrs.size()) fail(ErrorKind::kValue, op, " has no attribute ", wanted);
      set_attribute(attrs, *spec, value);
    }
    return wrap_all(apply_all(*row, tensors, attrs, name ? name : ""));
  });
}

// dataset_seeds(seed): the two seeds of an op, by the rules of tf.random.set_seed.
PyObject* dataset_seeds(PyObject*, PyObject* seed) {
  return guarded([&]() -> PyObject* {
    std::optional<int64_t> own;
    if (seed != Py_None) own = integer_of(seed);
    const random::Seeds seeds = random::seeds_for_op(own);
    return Py_BuildValue("LL", static_cast<long long>(seeds.seed), static_cast<long long>(seeds.seed2));
  });
}

PyMethodDef functions[] = {
    {"dataset_op", dataset_op, METH_VARARGS,
     "dataset_op(op, inputs, attributes, name=None)\n--\n\nThe outputs of an op on datasets, as a list."},
    {"dataset_seeds", dataset_seeds, METH_O, "dataset_seeds(seed)\n--\n\nThe seeds of an op."},
    {nullptr, nullptr, 0, nullptr}};

}  // namespace

void init_dataset_ops(PyObject* module) {
  if (PyModule_AddFunctions(module, functions) < 0) throw PythonErrorSet();
}

}  // namespace footlight::python
