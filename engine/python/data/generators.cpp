// Dataset.from_generator: Python makes the elements, in whatever thread pulls them.
#include "engine/base/text.h"
#include "engine/data/generator.h"
#include "engine/ops/builder.h"
#include "engine/python/calls/callbacks.h"
#include "engine/python/data/module_init.h"
#include "engine/python/interpreter/gil_state.h"
#include "engine/python/interpreter/walk.h"
#include "engine/python/types/convert.h"
#include "engine/python/types/dtype_object.h"
#include "engine/python/types/shape_object.h"

namespace footlight::python {
namespace {

// A Python object that is released with the GIL, or left alone once the interpreter has ended.
class Held {
 public:
  explicit Held(Ref object) : object_(std::move(object)) {}
  ~Held() {
    if (!Py_IsInitialized()) {
      object_.release();
      return;
    }
    const WithGil held;
    object_ = {};
  }
  Held(const Held&) = delete;
  Held& operator=(const Held&) = delete;
  PyObject* get() const { return object_.get(); }

 private:
  Ref object_;
};

class Steps final : public data::Cursor {
 public:
  explicit Steps(Ref step) : step_(std::move(step)) {}
  bool next(data::Element& out) override {
    if (ended_) return false;
    const WithGil held;
    const OutsideOfGraphs outside;
    try {
      const Ref tensors = checked(PyObject_CallNoArgs(step_.get()));
      if (tensors.get() == Py_None) {
        ended_ = true;
        return false;
      }
      out.clear();
      for (PyObject* tensor : Items(tensors.get())) out.push_back(on_host(to_tensor(tensor)));
    } catch (...) {
      fail_as_op();
    }
    return true;
  }
  void state(data::State&) override {
    throw Error(ErrorKind::kFailedPrecondition,
                "a generator is stateful: an iterator over what Dataset.from_generator gives cannot be saved");
  }

 private:
  Held step_;
  bool ended_ = false;
};

class PythonGenerator final : public data::Generator {
 public:
  explicit PythonGenerator(PyObject* begin) : begin_(Ref::borrow(begin)) {}
  data::CursorPtr start(std::span<const Tensor> arguments) override {
    const WithGil held;
    const OutsideOfGraphs outside;
    try {
      const Ref given = checked(wrap_all(arguments));
      return std::make_unique<Steps>(checked(PyObject_CallOneArg(begin_.get(), given.get())));
    } catch (...) {
      fail_as_op();
    }
  }

 private:
  Held begin_;
};

// generator_dataset(begin, arguments, types, shapes): begin(arguments) gives a function that gives the tensors of the
// next element, None at the end.
PyObject* generator_dataset(PyObject*, PyObject* args) {
  PyObject *begin, *arguments, *types, *shapes;
  if (!PyArg_ParseTuple(args, "OOOO:generator_dataset", &begin, &arguments, &types, &shapes)) return nullptr;
  std::vector<Tensor> tensors;
  for (PyObject* argument : Items(arguments)) tensors.push_back(to_tensor(argument));
  std::vector<DType> dtypes;
  for (PyObject* type : Items(types)) dtypes.push_back(dtype_from_object(type));
  std::vector<Shape> all;
  for (PyObject* shape : Items(shapes)) all.push_back(shape_from_object(shape));
  const Tensor held = data::generator_value(new PythonGenerator(begin));
  return wrap(apply(
      "HostGeneratorDataset"_op.row(), tensors,
      {{"output_types"_attr, std::move(dtypes)}, {"output_shapes"_attr, std::move(all)}, {"_generator"_attr, held}}));
}

PyMethodDef functions[] = {
    {"generator_dataset", guard<generator_dataset>, METH_VARARGS,
     "generator_dataset(begin, arguments, types, shapes)\n--\n\nA dataset of what Python gives."},
    {nullptr, nullptr, 0, nullptr}};

}  // namespace

void init_generators(PyObject* module) { if (PyModule_AddFunctions(module, functions) < 0) throw PythonErrorSet(); }

}  // namespace footlight::python
