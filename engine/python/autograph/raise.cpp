// raise and assert under conditions on tensors: the graph raises the program's own exception, or has an Assert node.
#include "engine/base/text.h"
#include "engine/ops/builder.h"
#include "engine/ops/host_function.h"
#include "engine/python/autograph/callees.h"
#include "engine/python/autograph/convert.h"
#include "engine/python/autograph/runtime.h"
#include "engine/python/autograph/strict.h"
#include "engine/python/interpreter/attributes.h"
#include "engine/python/interpreter/text.h"
#include "engine/python/interpreter/thread_context.h"
#include "engine/python/types/convert.h"
#include "engine/tensor/gpu.h"
#include "engine/trace/graph_builder.h"

#include <algorithm>

namespace footlight::python::ag {

namespace {

// References have a destructor, so these are no part of PythonContext.
thread_local std::vector<Ref> noted;  // exceptions that the program raised inside staged blocks
thread_local Ref of_both;             // exception of the last statement whose branches both raise
thread_local Ref refused;             // the error of a trace whose handlers caught what a graph should raise

// Raises an exception of the program's when the graph runs, with the traceback that it had while tracing. Arguments of
// the exception that are tensors get their values.
class Raise final : public HostFunction {
 public:
  Raise(Ref exception, std::vector<Py_ssize_t> places) : exception_(std::move(exception)), places_(std::move(places)) {
    traceback_ = Ref::steal(PyException_GetTraceback(exception_.get()));
    cause_ = Ref::steal(PyException_GetCause(exception_.get()));
  }
  ~Raise() override {
    if (!Py_IsInitialized()) {
      exception_.release();
      traceback_.release();
      cause_.release();
      return;
    }
    const WithGil held;
    exception_ = {};
    traceback_ = {};
    cause_ = {};
  }
  Raise(const Raise&) = delete;
  Raise& operator=(const Raise&) = delete;

  std::vector<Tensor> call(std::span<const Tensor> inputs, std::span<const DType>) override {
    const WithGil held;
    if (!places_.empty()) give_values(inputs);
    PyException_SetTraceback(exception_.get(), traceback_ ? traceback_.get() : Py_None);
    PyException_SetContext(exception_.get(), nullptr);
    PyException_SetCause(exception_.get(), cause_ ? Py_NewRef(cause_.get()) : nullptr);
    raise_again(exception_);
    throw PythonErrorSet();
  }
  Tensor gradient() override { return {}; }

 private:
  void give_values(std::span<const Tensor> inputs) {
    const Ref args = checked(PyObject_GetAttrString(exception_.get(), "args"));
    const Ref list = checked(PySequence_List(args.get()));
    for (size_t i = 0; i < places_.size() && i < inputs.size(); ++i)
      if (PyList_SetItem(list.get(), places_[i], checked(wrap(gpu::on_host(inputs[i]))).release()) < 0)
        throw PythonErrorSet();
    const Ref tuple = checked(PyList_AsTuple(list.get()));
    if (PyObject_SetAttrString(exception_.get(), "args", tuple.get()) < 0) throw PythonErrorSet();
  }

  Ref exception_, traceback_, cause_;
  const std::vector<Py_ssize_t> places_;
};

// A node that raises the exception whenever it runs.
void add_raise(const Ref& exception) {
  std::vector<Tensor> inputs;
  std::vector<Py_ssize_t> places;
  if (const Ref args = optional_attribute(exception.get(), "args"); args && PyTuple_Check(args.get()))
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(args.get()); ++i)
      if (PyObject* arg = PyTuple_GET_ITEM(args.get(), i); is_tensor(arg) && tensor_of(arg).is_symbolic()) {
        inputs.push_back(tensor_of(arg));
        places.push_back(i);
      }
  const std::string note = ag_user_frames(exception.get()) +
                           "\n    raised when the graph runs: the condition is a tensor\n";
  checked(PyObject_CallMethod(exception.get(), "add_note", "N", text_object(note).release()));
  std::string token = str("raise ", Py_TYPE(exception.get())->tp_name);
  const Tensor held = host_function_value(new Raise(exception, std::move(places)));
  record("raise", "staged", "raised when the graph runs");
  const Attrs attrs{{"token"_attr, std::move(token)}, {"Tout"_attr, std::vector<DType>()}, {"_function"_attr, held}};
  apply_all("EagerPyFunc"_op.row(), inputs, attrs, "raise");
}

// The exception that is set, taken, if the program raised it in a staged block; empty: it stays set.
Ref take_noted() {
  Ref exception = take_exception();
  const bool known = std::ranges::any_of(noted, [&](const Ref& one) { return one.get() == exception.get(); });
  if (known) return exception;
  raise_again(std::move(exception));
  return {};
}

}  // namespace

StagedBlock::StagedBlock() { ++python_thread.staged_depth; }
StagedBlock::~StagedBlock() {
  if (--python_thread.staged_depth) return;
  const ExceptionSetAside kept;  // objects that die here may run the program's code
  noted.clear();
  of_both = {};
}

Ref raised_by(const std::function<void()>& block) {
  const StagedBlock staged;
  Ref exception;
  try {
    block();
    return {};
  } catch (const PythonErrorSet&) {
    if (!PyErr_Occurred()) throw;
    exception = take_noted();
    if (!exception) throw;
  }
  if (exception.get() != of_both.get()) add_raise(exception);
  return exception;
}

void end_block(Ref exception) {
  if (python_thread.staged_depth) of_both = exception;
  raise_again(std::move(exception));
  throw PythonErrorSet();
}

int staged_blocks() { return python_thread.staged_depth; }
PyObject* depth(PyObject*, PyObject*) { return PyLong_FromLong(python_thread.staged_depth); }

void refuse() {
  if (refused) return;
  PyFrameObject* const frame = PyEval_GetFrame();
  const int line = frame ? PyFrame_GetLineNumber(frame) : 0;
  const std::string text = str(
      "line ", line, ": `raise` under a condition on a tensor, inside a `try` whose handlers may catch it, cannot "
      "become part of a graph: the handler would run whatever the condition is. Compute in the `if` what the handler "
      "computes, or raise outside of the `try`");
  refused = checked(PyObject_CallOneArg(PyExc_NotImplementedError, text_object(text).get()));
}

// Implements ag__.raising(e) or, in a try with handlers, ag__.raising(e, depth), with ag__.depth() from its start.
PyObject* raising(PyObject*, PyObject* const* args, Py_ssize_t count) {
  PyObject* const exception = args[0];
  if (!python_thread.staged_depth || !trace::tracing()) return Py_NewRef(exception);
  return guarded([&]() -> PyObject* {
    if (count > 1) {
      // The error itself would be caught by the very handlers: it is raised when the trace ends.
      if (python_thread.staged_depth > PyLong_AsLong(args[1])) refuse();
      return Py_NewRef(exception);
    }
    Ref made = Ref::borrow(exception);
    if (PyExceptionClass_Check(exception)) made = checked(PyObject_CallNoArgs(exception));
    if (PyObject_TypeCheck(made.get(), reinterpret_cast<PyTypeObject*>(PyExc_Exception))) noted.push_back(made);
    return made.release();
  });
}

// assert ag__.asserted(test, lambda: message or None, 'test'), message; in a try with handlers, also as for raising(),
// or None where they stand in the same block.
PyObject* asserted(PyObject*, PyObject* const* args, Py_ssize_t count) {
  PyObject* const test = args[0];
  const bool tensor = is_tensor_like(test);
  if (!trace::tracing() || (!tensor && (!python_thread.staged_depth || (count > 3 && args[3] == Py_None))))
    return Py_NewRef(test);
  return guarded([&]() -> PyObject* {
    if (!tensor) {
      if (is_true(test)) Py_RETURN_TRUE;
      const Ref words = args[1] == Py_None ? Ref() : call(args[1]);
      const Ref error = checked(words ? PyObject_CallOneArg(PyExc_AssertionError, words.get())
                                      : PyObject_CallNoArgs(PyExc_AssertionError));
      PyObject* const given[] = {error.get(), count > 3 ? args[3] : nullptr};
      const Ref raised = checked(raising(nullptr, given, count > 3 ? 2 : 1));
      PyErr_SetObject(PyExc_AssertionError, raised.get());
      return nullptr;
    }
    std::vector<Tensor> inputs{condition_tensor(test, "assert")};
    record("assert", "staged", "checked when the graph runs");
    if (args[1] != Py_None) {
      const Leaves said = flatten(call(args[1]));
      for (const Ref& part : said.values) {
        const bool tensor = becomes_tensor(part.get());
        inputs.push_back(tensor ? as_tensor(part.get())
                                : to_tensor(checked(PyObject_Str(part.get())).get()).as_constant());
      }
    }
    if (inputs.size() == 1) inputs.push_back(to_tensor(args[2]).as_constant());
    apply_all("Assert"_op.row(), inputs, {{"_assert"_attr, true}});
    Py_RETURN_TRUE;
  });
}

}  // namespace footlight::python::ag

namespace footlight::python {

Ref ag_body(const std::function<Ref()>& body) {
  const ag::KeepCallees keep;
  struct Own {
    Ref outer = std::exchange(ag::refused, {});
    ~Own() { ag::refused = std::move(outer); }
  } own;
  const ag::StrictTrace strict;
  Ref result;
  try {
    result = body();
  } catch (const PythonErrorSet&) {
    if (!ag::refused) throw;
    const Ref of_a_handler = take_exception();
  }
  if (!ag::refused) return result;
  raise_again(std::exchange(ag::refused, {}));
  throw PythonErrorSet();
}

}  // namespace footlight::python
