// The implementation of tf.custom_gradient: a function whose gradient is a user's function.
#include "engine/base/text.h"
#include "engine/eager/forward.h"
#include "engine/eager/tape.h"
#include "engine/python/interpreter/lists.h"
#include "engine/python/types/convert.h"
#include "engine/python/interpreter/gil_state.h"
#include "engine/python/gradients/tape_arguments.h"
#include "engine/python/types/nest.h"
#include "engine/python/types/slices_object.h"
#include "engine/python/types/variable_object.h"
#include "engine/tensor/variable.h"

#include <algorithm>
#include <memory>
#include <optional>

namespace footlight::python {
namespace {

// Calls the user's function with the incoming gradients; returns the gradients of arguments, then of
// variables.
class PythonBackward final : public Backward {
 public:
  PythonBackward(PyObject* function, std::vector<Tensor> inputs, size_t arguments)
      : function_(Ref::borrow(function)), inputs_(std::move(inputs)), arguments_(arguments) {}
  ~PythonBackward() override {
    if (!Py_IsInitialized()) {
      function_.release();  // the process is exiting: leave it to the OS
      return;
    }
    const WithGil held;
    function_ = {};
  }

  bool is_users() const override { return true; }
  PyObject* function() const { return function_.get(); }

  std::vector<Tensor> run(std::span<const Tensor> output_gradients) override {
    Ref args = tuple_of(output_gradients, [](const Tensor& g) { return checked(wrap_gradient(g)); });
    const size_t variables = inputs_.size() - arguments_;
    Ref keywords;
    if (variables) keywords = checked(Py_BuildValue("{sN}", "variables", variable_list()));
    Ref result = checked(PyObject_Call(function_.get(), args.get(), keywords.get()));
    Ref of_variables;
    if (variables && PyTuple_Check(result.get()) && PyTuple_GET_SIZE(result.get()) == 2) {
      of_variables = Ref::borrow(PyTuple_GET_ITEM(result.get(), 1));
      result = Ref::borrow(PyTuple_GET_ITEM(result.get(), 0));
    } else if (variables) {
      fail(ErrorKind::kType, "a gradient function that takes `variables` must return two things: the gradients of the "
           "arguments, and a list of the gradients of the variables");
    }
    std::vector<Tensor> gradients;
    take(result.get(), arguments_, "custom_gradient function expected to return ", gradients);
    if (variables) take(of_variables.get(), variables, "Must return gradient for each variable: expected ", gradients);
    return gradients;
  }

 private:
  PyObject* variable_list() {
    const auto variables = std::span(inputs_).subspan(arguments_);
    return list_of(variables, [](const Tensor& handle) { return checked(variable_object(handle)); }).release();
  }

  void take(PyObject* structure, size_t wanted, const char* words, std::vector<Tensor>& gradients) {
    std::vector<Ref> leaves;
    nest_flatten(structure, leaves);
    // A single None: no gradient for any of them.
    if (leaves.size() == 1 && leaves[0].get() == Py_None) leaves.resize(std::max<size_t>(wanted, 1), leaves[0]);
    if (leaves.size() != wanted)
      fail(ErrorKind::kValue, words, wanted, " gradients, but returned ", leaves.size(), " instead.");
    for (const Ref& leaf : leaves) {
      const Tensor& input = inputs_[gradients.size()];
      const Variable* v = input.dtype() == DType::kResource ? variable_of(input) : nullptr;
      gradients.push_back(leaf.get() == Py_None ? Tensor() : gradient_from(leaf.get(), v ? v->dtype() : input.dtype()));
    }
  }

  Ref function_;
  std::vector<Tensor> inputs_;
  size_t arguments_;
};

// A leaf of the arguments as a tensor or handle that tapes track; any number for a Python value (no gradient).
Tensor followed(PyObject* leaf) {
  if (is_tensor(leaf)) return tensor_of(leaf);
  if (is_variable(leaf)) return variable_handle(leaf);
  return Tensor::scalar<float>(0).as_constant();
}

// Whether a gradient function can be called with variables=[...].
bool takes_variables(PyObject* function) {
  Ref inspect = checked(PyImport_ImportModule("inspect"));
  Ref spec = Ref::steal(PyObject_CallMethod(inspect.get(), "getfullargspec", "O", function));
  if (!spec) {
    clear_only(PyExc_Exception);  // a C function without a signature
    return true;
  }
  Ref name = checked(PyUnicode_FromString("variables"));
  for (const char* part : {"args", "kwonlyargs"}) {
    Ref names = checked(PyObject_GetAttrString(spec.get(), part));
    const int has = PySequence_Contains(names.get(), name.get());
    if (has < 0) throw PythonErrorSet();
    if (has) return true;
  }
  Ref rest = checked(PyObject_GetAttrString(spec.get(), "varkw"));
  return rest.get() != Py_None;
}

// call_custom_gradient(function, arguments, keywords): the call of a function decorated with tf.custom_gradient.
PyObject* call(PyObject*, PyObject* given) {
  PyObject *function, *args, *keywords;
  if (!PyArg_ParseTuple(given, "OO!O!:call_custom_gradient", &function, &PyTuple_Type, &args, &PyDict_Type, &keywords))
    return nullptr;
  std::vector<Ref> leaves;
  std::vector<Tensor> inputs;
  nest_flatten(args, leaves);
  for (Ref& leaf : leaves) {
    if (is_array(leaf.get()) && !is_tensor(leaf.get()) && !is_variable(leaf.get()))
      leaf = checked(wrap(to_tensor(leaf.get())));
    inputs.push_back(followed(leaf.get()));
  }
  Ref arguments_given = nest_pack(args, leaves);
  const size_t arguments = inputs.size();
  Ref result;
  {
    // A tangent that an accumulator computes from the function's ops may be differentiated by a tape around it.
    std::optional<PauseTapes> pause;
    if (!any_accumulator_recording()) pause.emplace(Pause::kTapes);
    Tape variables(false, true);
    variables.start();
    result = checked(PyObject_Call(function, arguments_given.get(), keywords));
    variables.stop();
    for (const Tensor& v : variables.variables_in_order())
      if (std::none_of(inputs.begin(), inputs.begin() + static_cast<ptrdiff_t>(arguments),
                       [&](const Tensor& t) { return t.tape_id() == v.tape_id(); }))
        inputs.push_back(v);
  }
  if (!PyTuple_Check(result.get()) || PyTuple_GET_SIZE(result.get()) != 2 ||
      !PyCallable_Check(PyTuple_GET_ITEM(result.get(), 1)))
    fail(ErrorKind::kType,
         "A function under tf.custom_gradient must return (result, function of the gradients)");
  std::vector<Ref> outputs;
  nest_flatten(PyTuple_GET_ITEM(result.get(), 0), outputs);
  std::vector<Tensor> values;
  PyObject* gradient = PyTuple_GET_ITEM(result.get(), 1);
  if (inputs.size() > arguments && !takes_variables(gradient))
    fail(ErrorKind::kType, "@tf.custom_gradient grad_fn must accept keyword argument 'variables', since function "
         "uses variables; it returns their gradients too, as in `return gradients, variable_gradients`");
  for (Ref& leaf : outputs) {
    const Tensor computed = to_tensor(leaf.get());
    {
      PauseTapes pause;
      values.push_back(apply("Identity"_op, {computed}));
    }
    copy_tangents(computed, values.back());
    leaf = checked(wrap(values.back()));
  }
  if (any_tape_recording() || this_thread.builder)
    record_custom(inputs, values, std::make_shared<PythonBackward>(gradient, inputs, arguments));
  return nest_pack(PyTuple_GET_ITEM(result.get(), 0), outputs).release();
}
PyMethodDef call_method[] = {{"call_custom_gradient", guard<call>, METH_VARARGS,
                              "call_custom_gradient(function, arguments, keywords)\n--\n\nThe result, recorded with "
                              "the gradient function that came with it."},
                             {nullptr, nullptr, 0, nullptr}};

// record_gradient(outputs, inputs, function): tells the recorders how outputs, computed unseen, depend on inputs.
PyObject* record_gradient(PyObject*, PyObject* given) {
  PyObject *outputs, *inputs, *function;
  if (!PyArg_ParseTuple(given, "OOO:record_gradient", &outputs, &inputs, &function)) return nullptr;
  std::vector<Tensor> from, to;
  std::vector<Ref> leaves;
  nest_flatten(inputs, leaves);
  for (const Ref& leaf : leaves) from.push_back(followed(leaf.get()));
  leaves.clear();
  nest_flatten(outputs, leaves);
  for (const Ref& leaf : leaves) to.push_back(followed(leaf.get()));
  const size_t count = from.size();
  if (any_tape_recording()) record_backward(from, to, std::make_shared<PythonBackward>(function, from, count));
  Py_RETURN_NONE;
}

// pause_tapes(), resume_tapes(): in between nothing of this thread is recorded.
std::vector<std::unique_ptr<PauseTapes>>& pauses() {
  thread_local std::vector<std::unique_ptr<PauseTapes>> all;  // a vector has a destructor: not in PythonContext
  return all;
}
PyObject* pause_tapes(PyObject*, PyObject*) {
  return guarded([]() -> PyObject* {
    pauses().push_back(std::make_unique<PauseTapes>());
    Py_RETURN_NONE;
  });
}
PyObject* resume_tapes(PyObject*, PyObject*) {
  return guarded([]() -> PyObject* {
    if (!pauses().empty()) pauses().pop_back();
    Py_RETURN_NONE;
  });
}
PyObject* is_recorded(PyObject*, PyObject*) { return PyBool_FromLong(any_tape_recording()); }
PyMethodDef recording_functions[] = {
    {"record_gradient", guard<record_gradient>, METH_VARARGS,
     "record_gradient(outputs, inputs, function)\n--\n\nSays how outputs depend on inputs."},
    {"pause_tapes", pause_tapes, METH_NOARGS, "Nothing is recorded until resume_tapes()."},
    {"resume_tapes", resume_tapes, METH_NOARGS, "Ends what pause_tapes() began."},
    {"is_recorded", is_recorded, METH_NOARGS, "Whether any tape or accumulator records."},
    {nullptr, nullptr, 0, nullptr}};

}  // namespace

PyObject* function_of(const Backward& gradient) {
  const auto* ours = dynamic_cast<const PythonBackward*>(&gradient);
  return ours ? ours->function() : nullptr;
}

void init_custom_gradient(PyObject* module) {
  if (PyModule_AddFunctions(module, call_method) < 0 || PyModule_AddFunctions(module, recording_functions) < 0)
    throw PythonErrorSet();
}

}  // namespace footlight::python
