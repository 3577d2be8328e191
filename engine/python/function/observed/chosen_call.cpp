// Counts the calls of the function that a name fits, and binds a call as the call itself does.
#include "engine/python/function/observed/chosen_call.h"

#include "engine/base/text.h"
#include "engine/python/function/call/binding.h"
#include "engine/python/function/call/call.h"
#include "engine/python/function/call/captures.h"
#include "engine/python/function/call/signature.h"
#include "engine/python/function/function_object.h"
#include "engine/python/function/tracing/trace_entry.h"
#include "engine/python/interpreter/exceptions.h"
#include "engine/python/interpreter/text.h"

namespace footlight::python {

bool ChosenCall::arrives(const FunctionCore& core) {
  if (is_over()) return false;
  const std::string& own = core.qualified_name;
  if (!function_.empty() && function_ != own) return false;
  if (!name_.empty() && own != name_ && core.name != name_ && own.substr(own.rfind('.') + 1) != name_) return false;
  function_ = own;
  return ++calls_ >= first_;
}

BoundCall::BoundCall(const CallWords& call) {
  FunctionCore& core = core_of(call.function);
  core.prepare();
  bind_arguments(core.signature, core.name, call.args, PyVectorcall_NARGS(call.nargsf), call.kwnames, bound_);
  if (core.options.input_signature) apply_signature(core, bound_);
  for (const Ref& value : bound_.values) values_.push_back(value.get());
  write_key(core, values_, key_);
  const CallArguments arguments(key_, values_);
  bool traced;
  entry_ = std::static_pointer_cast<TraceEntry>(core.function.find_or_trace(
      {key_.key.words.data(), key_.key.words.size()}, arguments, session::TraceReason::kCall, traced));
  inputs_.assign(arguments.tensors.begin(), arguments.tensors.end());
  const std::vector<Tensor> captures = entry_->replaced.empty() ? entry_->concrete->captures() : captures_now(*entry_);
  inputs_.insert(inputs_.end(), captures.begin(), captures.end());
}

std::string exception_text() {
  const Ref exception = take_exception();
  if (!PyErr_GivenExceptionMatches(exception.get(), PyExc_Exception)) {
    raise_again(exception);
    throw PythonErrorSet();
  }
  const Ref text = Ref::steal(PyObject_Str(exception.get()));
  if (!text) clear_only(PyExc_Exception);
  return str(Py_TYPE(exception.get())->tp_name, ": ", text ? readable(text.get()) : "its message cannot be read");
}

}  // namespace footlight::python
