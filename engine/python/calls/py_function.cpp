// Python functions that run with the graph: tf.py_function, tf.numpy_function, tf.compat.v1.py_func.
#include "engine/base/activity.h"
#include "engine/base/text.h"
#include "engine/eager/execute.h"
#include "engine/eager/tape.h"
#include "engine/ops/host_function.h"
#include "engine/ops/indexed_slices.h"
#include "engine/python/calls/callbacks.h"
#include "engine/python/calls/function_number.h"
#include "engine/python/calls/library.h"
#include "engine/python/calls/python_calls.h"
#include "engine/python/interpreter/attributes.h"
#include "engine/python/interpreter/lists.h"
#include "engine/python/interpreter/module.h"
#include "engine/python/interpreter/text.h"
#include "engine/python/interpreter/walk.h"
#include "engine/python/types/array_memory.h"
#include "engine/python/types/convert.h"
#include "engine/python/types/dtype_object.h"
#include "engine/python/types/nest.h"
#include "engine/python/types/spec_object.h"
#include "engine/python/types/variable_object.h"

#include <algorithm>
#include <deque>
#include <utility>

namespace footlight::python {
namespace {

std::string text_of_exception(PyObject* exception) {
  std::string text = Py_TYPE(exception)->tp_name;
  const Ref message = Ref::steal(PyObject_Str(exception));
  if (message) text += str(": ", readable(message.get()));
  else clear_only(PyExc_Exception);
  const Ref module = checked(PyImport_ImportModule("traceback"));
  const Ref traceback = Ref::steal(PyException_GetTraceback(exception));
  if (!traceback) return text;
  const Ref lines = checked(PyObject_CallMethod(module.get(), "format_tb", "O", traceback.get()));
  text += "\nTraceback (most recent call last):\n";
  for (PyObject* line : Items(lines.get()))
    if (PyUnicode_Check(line)) text += readable(line);
  return text;
}

}  // namespace

void fail_as_op() {
  try {
    throw;
  } catch (const Error& e) {
    if (e.kind() == ErrorKind::kInvalidArgument) throw;  // about the value that it returned
    set_python_error();
  } catch (...) {
    set_python_error();
  }
  if (!PyErr_ExceptionMatches(PyExc_Exception)) throw PythonErrorSet();
  const std::pair<PyObject*, ErrorKind> kinds[] = {{PyExc_ValueError, ErrorKind::kInvalidArgument},
                                                   {PyExc_TypeError, ErrorKind::kInvalidArgument},
                                                   {PyExc_StopIteration, ErrorKind::kOutOfRange},
                                                   {PyExc_MemoryError, ErrorKind::kResourceExhausted},
                                                   {PyExc_NotImplementedError, ErrorKind::kUnimplemented}};
  const auto* known =
      std::ranges::find_if(kinds, [](const auto& kind) { return PyErr_ExceptionMatches(kind.first) != 0; });
  const ErrorKind kind = known == std::end(kinds) ? ErrorKind::kUnknown : known->second;
  const Ref exception = take_exception();
  std::string text;
  try {
    text = text_of_exception(exception.get());
  } catch (const PythonErrorSet&) {
    clear_only(PyExc_Exception);
    text = Py_TYPE(exception.get())->tp_name;
  }
  fail(kind, text);
}

namespace {

bool differentiable(const Tensor& t) { return is_floating(t.dtype()) || is_complex(t.dtype()); }

[[noreturn]] void wrong_count(const std::string& token, size_t count, size_t wanted) {
  invalid(token, " returns ", count, " values, but expects to see ", wanted, " values.");
}

using TapeOwner = std::unique_ptr<Tape, RecorderDeleter>;

// Identifies a call by its outputs; null: nothing does.
const void* key_of(std::span<const Tensor> outputs) {
  return !outputs.empty() && outputs[0].bytes() ? outputs[0].raw() : nullptr;
}

// One call of a function with what its gradient needs.
struct TapedCall {
  TapeOwner tape;
  std::vector<Tensor> inputs, outputs;

  const void* key() const { return key_of(outputs); }
  size_t bytes() const {
    size_t sum = 0;
    for (const Tensor& t : inputs) sum += t.bytes();
    for (const Tensor& t : outputs) sum += t.bytes();
    return sum;
  }
};

// A function of tensors that may be differentiated: its calls are taped for the gradient that follows, which finds its
// call by the outputs. Without one it runs the function again.
class Differentiable : public HostFunction {
 public:
  std::vector<Tensor> call(std::span<const Tensor> inputs, std::span<const DType> dtypes) final {
    const WithGil held;
    const ActivityScope python(this_thread.activity, Activity::kPython);
    const bool taped = differentiated_ || (ops::hooks.recorders_watch && ops::hooks.recorders_watch(inputs));
    const OutsideOfGraphs outside;
    try {
      if (!taped) return run(inputs, dtypes);
      TapedCall made = run_taped(inputs, dtypes);
      std::vector<Tensor> outputs = made.outputs;
      keep(std::move(made));
      return outputs;
    } catch (...) {
      fail_as_op();
    }
  }

  Tensor gradient() final;

  virtual std::vector<Tensor> run(std::span<const Tensor> inputs, std::span<const DType> dtypes) = 0;

  TapedCall run_taped(std::span<const Tensor> inputs, std::span<const DType> dtypes) {
    TapedCall made{TapeOwner(new Tape), {inputs.begin(), inputs.end()}, {}};
    made.tape->start();
    for (const Tensor& input : inputs)
      if (differentiable(input)) made.tape->watch(input);
    made.outputs = run(inputs, dtypes);
    made.tape->stop();
    return made;
  }

  // The call that gave these outputs; without a tape if it is not known any more.
  TapedCall take(std::span<const Tensor> outputs) {
    const void* key = key_of(outputs);
    const auto at = std::ranges::find(kept_, key, &TapedCall::key);
    return key && at != kept_.end() ? taken_out(at) : TapedCall();
  }

 private:
  static constexpr size_t kMaxCalls = 4096, kMaxBytes = size_t{256} << 20;

  TapedCall taken_out(std::deque<TapedCall>::iterator at) {
    TapedCall call = std::move(*at);
    kept_.erase(at);
    kept_bytes_ -= call.bytes();
    return call;
  }

  void keep(TapedCall made) {
    const void* key = made.key();
    if (!key) return;
    const auto same = std::ranges::find(kept_, key, &TapedCall::key);
    if (same != kept_.end()) {  // both returned the same memory: nobody can tell them apart
      taken_out(same);
      return;
    }
    kept_bytes_ += made.bytes();
    kept_.push_back(std::move(made));
    while (kept_.size() > kMaxCalls || (kept_bytes_ > kMaxBytes && kept_.size() > 1)) taken_out(kept_.begin());
  }

  bool differentiated_ = false;
  std::deque<TapedCall> kept_;
  size_t kept_bytes_ = 0;
};

// Maps (inputs, outputs, gradients of the outputs) to the gradients of the inputs.
class Gradient final : public Differentiable {
 public:
  explicit Gradient(Differentiable* of) : of_(host_function_value(of)), function_(*of) {}

  std::string identity() override {
    std::string of = function_.identity();
    return of.empty() ? of : "gradient of " + of;
  }

  std::vector<Tensor> run(std::span<const Tensor> given, std::span<const DType> dtypes) override {
    const size_t inputs = dtypes.size(), outputs = (given.size() - inputs) / 2;
    TapedCall made;
    // For higher derivatives the function itself must run.
    if (!any_tape_recording()) made = function_.take(given.subspan(inputs, outputs));
    if (!made.tape) {
      std::vector<DType> returned;
      for (const Tensor& t : given.subspan(inputs, outputs)) returned.push_back(t.dtype());
      made = function_.run_taped(given.first(inputs), returned);
    }
    std::vector<Tensor> targets, arrived, sources;
    for (size_t k = 0; k < outputs; ++k) {
      if (!differentiable(made.outputs[k])) continue;
      targets.push_back(made.outputs[k]);
      arrived.push_back(given[inputs + outputs + k]);
    }
    for (const Tensor& input : made.inputs)
      if (differentiable(input)) sources.push_back(input);
    std::vector<Tensor> gradients = made.tape->gradient(targets, sources, arrived, Unconnected::kZero);
    std::vector<Tensor> all;
    for (size_t i = 0, next = 0; i < inputs; ++i)
      all.push_back(differentiable(given[i]) ? ops::dense(gradients[next++]) : given[i]);
    return all;
  }

 private:
  const Tensor of_;
  Differentiable& function_;
};

Tensor Differentiable::gradient() {
  differentiated_ = true;
  return host_function_value(new Gradient(this));
}

// A function object of the user's. It may outlive the interpreter.
class Callable {
 public:
  Callable(PyObject* function, std::string token) : function_(Ref::borrow(function)), token_(std::move(token)) {}
  ~Callable() {
    if (!Py_IsInitialized()) {
      function_.release();
      return;
    }
    const WithGil held;
    numbered_.forget();
    function_ = {};
  }
  Callable(const Callable&) = delete;
  Callable& operator=(const Callable&) = delete;

  Ref call(std::span<const Ref> arguments) {
    std::vector<PyObject*> given;
    for (const Ref& argument : arguments) given.push_back(argument.get());
    const PythonCall counted(runs_);
    return checked(PyObject_Vectorcall(function_.get(), given.data(), given.size(), nullptr));
  }
  const std::string& token() const { return token_; }
  std::string identity() { return function_ ? numbered_.text(function_.get()) : std::string(); }

 private:
  Ref function_;
  FunctionNumber numbered_;
  const std::string token_;
  PythonCalls runs_{function_.get(), token_};
};

class TensorFunction final : public Differentiable {
 public:
  TensorFunction(PyObject* function, std::string token) : callable_(function, std::move(token)) {}
  std::string identity() override { return callable_.identity(); }

  std::vector<Tensor> run(std::span<const Tensor> inputs, std::span<const DType> dtypes) override {
    std::vector<Ref> arguments;
    for (const Tensor& input : inputs) arguments.push_back(checked(wrap(input)));
    const Ref result = callable_.call(arguments);
    std::vector<Tensor> outputs;
    if (PyTuple_Check(result.get()) || PyList_Check(result.get())) {
      const Items items = Items::stored(result.get());
      const auto count = static_cast<size_t>(items.size());
      if (count < dtypes.size()) wrong_count(callable_.token(), count, dtypes.size());
      for (size_t i = 0; i < dtypes.size(); ++i)
        outputs.push_back(converted(items[static_cast<Py_ssize_t>(i)], dtypes[i]));
      return outputs;
    }
    const size_t count = result.get() == Py_None ? 0 : 1;
    if (count != dtypes.size()) wrong_count(callable_.token(), count, dtypes.size());
    if (count) outputs.push_back(converted(result.get(), dtypes[0]));
    return outputs;
  }

 private:
  static Tensor converted(PyObject* value, DType dtype) {
    if (is_variable(value))
      fail(ErrorKind::kRuntime, "a tf.py_function returned a variable; return its value: .read_value()");
    return on_host(to_tensor(value, dtype));
  }

  Callable callable_;
};

// Returns an array also for rank 0, where numpy() gives a scalar.
Ref array_of(const Tensor& tensor) {
  Ref value = numpy_value(on_host(tensor));
  if (tensor.shape().rank() > 0) return value;
  return checked(PyObject_CallMethod(import_numpy().get(), "array", "OO", value.get(),
                                     numpy_dtype(tensor.dtype()).get()));
}

// Converts as NumPy does: a Python int is int64.
Tensor tensor_of_array(PyObject* value) {
  if (is_tensor(value) || PyBytes_Check(value) || PyUnicode_Check(value)) return to_tensor(value);
  return to_tensor(checked(PyObject_CallMethod(import_numpy().get(), "asarray", "O", value)).get());
}

class ArrayFunction final : public HostFunction {
 public:
  ArrayFunction(PyObject* function, std::string token) : callable_(function, std::move(token)) {}
  std::string identity() override { return callable_.identity(); }

  std::vector<Tensor> call(std::span<const Tensor> inputs, std::span<const DType> dtypes) override {
    const WithGil held;
    const ActivityScope python(this_thread.activity, Activity::kPython);
    const OutsideOfGraphs outside;
    try {
      return run(inputs, dtypes);
    } catch (...) {
      fail_as_op();
    }
  }
  Tensor gradient() override { return {}; }

 private:
  std::vector<Tensor> run(std::span<const Tensor> inputs, std::span<const DType> dtypes) {
    std::vector<Ref> arguments;
    for (const Tensor& input : inputs) arguments.push_back(numpy_value(on_host(input)));
    const Ref result = callable_.call(arguments);
    std::vector<Ref> values;
    if (PyTuple_Check(result.get()) || PyList_Check(result.get()))
      for (PyObject* item : Items::stored(result.get())) values.push_back(Ref::borrow(item));
    else if (result.get() != Py_None) values.push_back(result);
    if (values.size() != dtypes.size()) wrong_count(callable_.token(), values.size(), dtypes.size());
    std::vector<Tensor> outputs;
    for (size_t i = 0; i < values.size(); ++i) {
      outputs.push_back(tensor_of_array(values[i].get()));
      if (outputs[i].dtype() != dtypes[i])
        invalid(i, "-th value returned by ", callable_.token(), " is ", name_of(outputs[i].dtype()), ", but expects ",
                name_of(dtypes[i]));
    }
    return outputs;
  }

  Callable callable_;
};

std::string new_token() {
  static uint64_t next = 0;
  return "pyfunc_" + std::to_string(next++);
}

DType output_dtype(PyObject* wanted) { return is_spec(wanted) ? spec_of(wanted).dtype : dtype_from_object(wanted); }

// call_python(kind, function, inputs, Tout, name): one of the ops that call Python.
PyObject* call_python(PyObject*, PyObject* args) {
  const char *op, *name;
  PyObject *function, *inputs, *wanted;
  if (!PyArg_ParseTuple(args, "sOOOz:call_python", &op, &function, &inputs, &wanted, &name)) return nullptr;
  static const Op kTensors{"EagerPyFunc"};
  const OpRow& row = op == std::string_view(kTensors.row().name) ? kTensors.row()
                     : op == std::string_view("PyFunc"_op.row().name) ? "PyFunc"_op.row()
                                                                  : "PyFuncStateless"_op.row();
  std::vector<Tensor> tensors;
  for (PyObject* input : Items(inputs)) tensors.push_back(to_tensor(input));
  std::vector<DType> dtypes;
  const bool many = PyList_Check(wanted) || PyTuple_Check(wanted);
  if (many)
    for (PyObject* one : Items(wanted)) dtypes.push_back(output_dtype(one));
  else dtypes.push_back(output_dtype(wanted));
  std::string token = new_token();
  HostFunction* host = &row == &kTensors.row() ? static_cast<HostFunction*>(new TensorFunction(function, token))
                                               : new ArrayFunction(function, token);
  const Tensor held = host_function_value(host);
  std::vector<Tensor> results = apply_all(
      row, tensors, {{"token"_attr, std::move(token)}, {"Tout"_attr, std::move(dtypes)}, {"_function"_attr, held}},
      name ? name : "");
  if (many) return wrap_all(results);
  return wrap(results[0]);
}

// call_with_arrays(function, values, stateful): a tf.numpy_function outside of traces. It is no op there, but in a call
// that is compared it counts as the op that it is in the graph.
PyObject* call_with_arrays(PyObject*, PyObject* args) {
  PyObject *function, *values;
  int stateful;
  if (!PyArg_ParseTuple(args, "OOp:call_with_arrays", &function, &values, &stateful)) return nullptr;
  const Ref arrays = list_of(Items(values), [](PyObject* value) { return array_of(to_tensor(value)); });
  const Ref given = checked(PyList_AsTuple(arrays.get()));
  ActivityLog* const log = this_thread.activity;
  if (!log) return PyObject_CallObject(function, given.get());
  OpEvent event{};
  event.start_ns = now_ns();
  event.op = (stateful ? "PyFunc"_op : "PyFuncStateless"_op).row().id;
  event.set_source(current_source());
  const ActivityScope kernel(log, Activity::kKernel);
  Ref result;
  {
    const ActivityScope python(log, Activity::kPython);
    result = Ref::steal(PyObject_CallObject(function, given.get()));
  }
  event.end_ns = now_ns();
  log->add(event);
  return result.release();
}

PyMethodDef functions[] = {
    {"call_python", guard<call_python>, METH_VARARGS,
     "call_python(op, function, inputs, Tout, name)\n--\n\nAn op that calls a Python function when it runs."},
    {"call_with_arrays", guard<call_with_arrays>, METH_VARARGS,
     "call_with_arrays(function, values, stateful)\n--\n\nCalls the function with the values as NumPy arrays."},
    {nullptr, nullptr, 0, nullptr}};

}  // namespace

void init_py_function(PyObject* module) {
  if (PyModule_AddFunctions(module, functions) < 0) throw PythonErrorSet();
  init_python_calls();
}

}  // namespace footlight::python
