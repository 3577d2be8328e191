// tf.custom_gradient: a function whose way back is a function of the user's.
#include "engine/base/text.h"
#include "engine/eager/tape.h"
#include "engine/python/convert.h"
#include "engine/python/module.h"
#include "engine/python/nest.h"
#include "engine/python/variable_object.h"

namespace footlight::python {
namespace {

// Calls the user's function with the gradients that arrive; the gradients of arguments, then of variables,
// come out.
class PythonBackward final : public Backward {
 public:
  PythonBackward(PyObject* function, std::vector<Tensor> inputs, size_t arguments)
      : function_(Py_NewRef(function)), inputs_(std::move(inputs)), arguments_(arguments) {}
  ~PythonBackward() override {
    if (!Py_IsInitialized()) return;
    const PyGILState_STATE state = PyGILState_Ensure();
    Py_DECREF(function_);
    PyGILState_Release(state);
  }

  std::vector<Tensor> run(std::span<const Tensor> output_gradients) override {
    Ref args = checked(PyTuple_New(static_cast<Py_ssize_t>(output_gradients.size())));
    for (size_t i = 0; i < output_gradients.size(); ++i)
      PyTuple_SET_ITEM(args.get(), static_cast<Py_ssize_t>(i), wrap(output_gradients[i]));
    Ref keywords;
    if (inputs_.size() > arguments_) {
      Ref variables = checked(PyList_New(0));
      for (size_t i = arguments_; i < inputs_.size(); ++i) {
        Ref v = checked(variable_object(inputs_[i]));
        if (PyList_Append(variables.get(), v.get()) < 0) throw PythonErrorSet();
      }
      keywords = checked(Py_BuildValue("{sO}", "variables", variables.get()));
    }
    Ref result = checked(PyObject_Call(function_, args.get(), keywords.get()));
    std::vector<Ref> leaves;
    nest_flatten(result.get(), leaves);
    if (leaves.size() != inputs_.size())
      fail(ErrorKind::kValue, "custom_gradient function expected to return ", inputs_.size(),
           " gradients, but returned ", leaves.size(), " instead.");
    std::vector<Tensor> gradients;
    for (size_t i = 0; i < leaves.size(); ++i)
      gradients.push_back(
          leaves[i].get() == Py_None ? Tensor() : to_tensor_with_hint(leaves[i].get(), inputs_[i].dtype()));
    return gradients;
  }

 private:
  PyObject* function_;
  std::vector<Tensor> inputs_;
  size_t arguments_;
};

// `self` is the user's function.
PyObject* call(PyObject* self, PyObject* args, PyObject* keywords) {
  return guarded([&] {
    std::vector<Ref> leaves;
    std::vector<Tensor> inputs;
    nest_flatten(args, leaves);
    for (Ref& leaf : leaves) {
      inputs.push_back(to_tensor(leaf.get()));
      leaf = checked(wrap(inputs.back()));
    }
    Ref tensors = nest_pack(args, leaves);
    const size_t arguments = inputs.size();
    Ref result;
    {
      PauseTapes pause;
      Tape variables(false, true);
      variables.start();
      try {
        result = checked(PyObject_Call(self, tensors.get(), keywords));
      } catch (...) {
        variables.stop();
        throw;
      }
      variables.stop();
      for (const Tensor& v : variables.watched_variables()) inputs.push_back(v);
    }
    if (!PyTuple_Check(result.get()) || PyTuple_GET_SIZE(result.get()) != 2 ||
        !PyCallable_Check(PyTuple_GET_ITEM(result.get(), 1)))
      fail(ErrorKind::kType,
           "A function under tf.custom_gradient must return (result, function of the gradients)");
    std::vector<Ref> outputs;
    nest_flatten(PyTuple_GET_ITEM(result.get(), 0), outputs);
    std::vector<Tensor> values;
    static const Op kIdentity{"Identity"};
    PyObject* gradient = PyTuple_GET_ITEM(result.get(), 1);
    {
      PauseTapes pause;
      for (Ref& leaf : outputs) {
        values.push_back(apply(kIdentity, {to_tensor(leaf.get())}));
        leaf = checked(wrap(values.back()));
      }
    }
    if (any_tape_recording() || current_graph_builder)
      record_custom(inputs, values, std::make_shared<PythonBackward>(gradient, inputs, arguments));
    return nest_pack(PyTuple_GET_ITEM(result.get(), 0), outputs).release();
  });
}
PyMethodDef call_method = {"function_with_a_gradient_of_its_own", with_keywords(call),
                           METH_VARARGS | METH_KEYWORDS, nullptr};

PyObject* custom_gradient(PyObject*, PyObject* function) {
  if (!PyCallable_Check(function)) {
    PyErr_SetString(PyExc_TypeError, "tf.custom_gradient: a function is wanted");
    return nullptr;
  }
  return PyCFunction_New(&call_method, function);
}
PyMethodDef custom_method = {
    "custom_gradient", custom_gradient, METH_O,
    "custom_gradient(f)\n--\n\nA function like f, which returns (result, function of the gradients)."};

}  // namespace

void init_custom_gradient() { publish_function("custom_gradient", &custom_method); }

}  // namespace footlight::python
