// The origin of a traced function and its captures, for messages and for a session.
#include "engine/python/function/tracing/source.h"

#include "engine/base/text.h"
#include "engine/graph/describe.h"
#include "engine/python/autograph/source.h"
#include "engine/python/function/call/binding.h"
#include "engine/python/function/function_object.h"
#include "engine/python/function/tracing/trace_entry.h"
#include "engine/python/interpreter/attributes.h"
#include "engine/python/interpreter/module.h"
#include "engine/python/interpreter/source.h"
#include "engine/python/interpreter/text.h"
#include "engine/python/types/variable_object.h"
#include "engine/trace/function_recording.h"

namespace footlight::python {
namespace {

PyCodeObject* code_of(PyObject* callable) {
  for (int depth = 0; callable && depth < 8; ++depth) {
    if (PyFunction_Check(callable)) return reinterpret_cast<PyCodeObject*>(PyFunction_GET_CODE(callable));
    if (PyMethod_Check(callable)) callable = PyMethod_GET_FUNCTION(callable);
    else if (is_function(callable)) callable = core_of(callable).python_function.get();
    else return nullptr;
  }
  return nullptr;
}

// The line of the `def`: decorators come before it, and code objects begin with them.
int definition_line(PyCodeObject* code) {
  const int first = code->co_firstlineno;
  const Ref lines = lines_of_file(code->co_filename, nullptr);
  if (!lines && PyErr_Occurred()) throw PythonErrorSet();
  for (int line = first; lines && PyList_Check(lines.get()) && line < first + 50; ++line) {
    if (line < 1 || line > PyList_GET_SIZE(lines.get())) break;
    const std::string whole = readable(PyList_GET_ITEM(lines.get(), line - 1));
    std::string_view words(whole);
    if (words.empty()) break;
    words.remove_prefix(std::min(words.find_first_not_of(" \t"), words.size()));
    if (words.starts_with("def ") || words.starts_with("async def ")) return line;
    if (line == first && !words.starts_with('@')) return first;  // a lambda
  }
  return first;
}

bool is_of_library(const PyCodeObject* code) {
  return code && record::is_library_file(readable(code->co_filename));
}

}  // namespace

// Keras's trainer makes `train_function` and its siblings of inner functions: its method make_train_function is on the
// stack.
std::string name_by_library(std::string qualified_name) {
  if (!qualified_name.starts_with("TensorFlowTrainer.") || qualified_name.ends_with(".one_step_on_data"))
    return qualified_name;
  Ref frame = Ref::borrow(reinterpret_cast<PyObject*>(PyEval_GetFrame()));
  for (int depth = 0; frame && depth < 6; ++depth) {
    auto* at = reinterpret_cast<PyFrameObject*>(frame.get());
    const Ref running = Ref::steal(reinterpret_cast<PyObject*>(PyFrame_GetCode(at)));
    const auto* code = reinterpret_cast<PyCodeObject*>(running.get());
    const std::string name = readable(code->co_name);
    if (is_of_library(code) && name.starts_with("make_") && name.ends_with("_function")) return name.substr(5);
    frame = Ref::steal(reinterpret_cast<PyObject*>(PyFrame_GetBack(at)));
  }
  return qualified_name;
}

std::string definition_place(PyObject* callable) {
  const PyCodeObject* code = code_of(callable);
  return code ? str(readable(code->co_filename), ":", code->co_firstlineno) : "";
}

const trace::FunctionSource& FunctionCore::source() {
  if (source_) return *source_;
  trace::FunctionSource found{qualified_name, {}, 0, 0};
  const SourcePlace made = place_of(made_at);
  // What was written by the user, where a function of our own calls it: a dataset's map.
  Ref written = python_function;
  if (written && has_attribute(written.get(), "_footlight_runs"))
    written = checked(PyObject_GetAttrString(written.get(), "_footlight_runs"));
  PyCodeObject* code = written ? code_of(written.get()) : nullptr;
  if (code && !(is_of_library(code) && !made.file.empty())) {
    found.file = readable(code->co_filename);
    found.line = definition_line(code);
    found.decorator_line = made.file == found.file ? made.line : code->co_firstlineno;
    (void)code_id(reinterpret_cast<PyObject*>(code));
  } else {
    found.file = made.file;
    found.line = found.decorator_line = made.line;
  }
  source_ = std::make_unique<trace::FunctionSource>(std::move(found));
  return *source_;
}

std::vector<std::string> FunctionCore::parameters() const {
  std::vector<std::string> names;
  if (self_number) names.push_back("self");
  for (const FunctionParameter& p : signature.parameters) names.push_back(p.name);
  return names;
}

std::vector<std::string> FunctionCore::describe_captures(const trace::Trace& trace) const {
  const auto& entry = static_cast<const TraceEntry&>(trace);
  const auto& captures = entry.concrete->captures();
  std::vector<std::string> texts;
  for (size_t i = 0; i < captures.size(); ++i) {
    PyObject* variable = i < entry.captured_variables.size() ? entry.captured_variables[i].get() : nullptr;
    texts.push_back(variable ? str(variable_name(variable), " ",
                                   footlight::describe(variable_dtype(variable), variable_shape(variable)), " variable")
                             : trace::describe_capture(captures[i]));
  }
  return texts;
}

void FunctionCore::warn(const std::string& text) { log_warning(text); }

void log_warning(const std::string& text) {
  const Ref logging = checked(PyImport_ImportModule("logging"));
  const Ref logger = checked(PyObject_CallMethod(logging.get(), "getLogger", "s", "tensorflow"));
  checked(PyObject_CallMethod(logger.get(), "warning", "sO", "%s", text_object(text).get()));
}

}  // namespace footlight::python
