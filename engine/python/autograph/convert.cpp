// The cache of conversions, which is stored in the code objects themselves, and the functions made from it.
#include "engine/python/autograph/convert.h"
#include "engine/python/autograph/compiled.h"
#include "engine/python/autograph/conversions.h"
#include "engine/python/autograph/hooks.h"
#include "engine/python/autograph/runtime.h"

#include "engine/autograph/readable.h"
#include "engine/base/clock.h"
#include "engine/base/recording.h"
#include "engine/base/stack.h"
#include "engine/python/autograph/source.h"
#include "engine/python/autograph/source_check.h"
#include "engine/python/autograph/strict.h"
#include "engine/python/interpreter/attributes.h"
#include "engine/python/interpreter/frame_layout.h"
#include "engine/python/interpreter/lists.h"
#include "engine/python/interpreter/source.h"
#include "engine/python/interpreter/text.h"
#include "engine/python/interpreter/thread_context.h"
#include "engine/session/writer.h"

#include <algorithm>
#include <array>
#include <unordered_set>

namespace footlight::python {

using namespace autograph;
using ag::Entry;

namespace {

void drop_entry(void* entry) {
  ++ag::dropped_entries;
  delete static_cast<Entry*>(entry);
}

Py_ssize_t slot() {
  static const Py_ssize_t index = request_code_slot(drop_entry);
  return index;
}

}  // namespace

namespace ag {

uint64_t dropped_entries = 0;

int deepest_nesting() {
  constexpr size_t kMin = 100, kMax = 2950, kPerLevel = 2800;  // limits of the nesting that Python compiles
  return static_cast<int>(std::clamp(stack_left() / kPerLevel, kMin, kMax));
}

// The forms of a statement nest two nodes each.
Timer::Timer() : more_calls_(2 * deepest_nesting() + 200), start_(now_ns()), collects_(PyGC_Disable()) {
  ++python_thread.conversion_depth;
  calls_left(PyThreadState_Get()) += more_calls_;
}

Timer::~Timer() {
  calls_left(PyThreadState_Get()) -= more_calls_;
  if (collects_) PyGC_Enable();
  if (--python_thread.conversion_depth) return;
  const int64_t end = now_ns();
  python_thread.conversion_ns += end - start_;
  if (python_thread.conversions) python_thread.conversions->emplace_back(start_, end);
}

Entry* known_entry(PyObject* code) {
  void* value = nullptr;
  if (get_code_slot(code, slot(), &value) < 0) throw PythonErrorSet();
  return static_cast<Entry*>(value);
}

Entry& entry_of(PyObject* code) {
  if (Entry* known = known_entry(code)) return *known;
  auto made = std::make_unique<Entry>();
  if (set_code_slot(code, slot(), made.get()) < 0) throw PythonErrorSet();
  return *made.release();
}

}  // namespace ag

namespace {

using ag::entry_of;
using ag::known_entry;
using ag::Timer;

// The standard library, NumPy and Keras are not converted: nothing in them branches on tensors.
bool is_library(const std::string& file) {
  static const std::string& library = *new std::string([] {
    const Ref os = checked(PyImport_ImportModule("os"));
    const Ref file = optional_attribute(os.get(), "__file__");
    const std::string path = file ? readable(file.get()) : "";
    return path.substr(0, path.rfind('/') + 1);
  }());
  if (is_own_file(file.c_str()) || file.starts_with("<frozen ")) return true;
  const bool installed = file.find("/site-packages/") != file.npos || file.find("/dist-packages/") != file.npos;
  if (installed)
    return std::ranges::any_of(std::array{"-packages/numpy/", "-packages/keras/"},
                               [&](const char* part) { return file.find(part) != file.npos; });
  return !library.empty() && file.starts_with(library);
}

bool is_library(PyCodeObject* code) { return is_library(readable(code->co_filename)); }

// Whether a function of the standard library or of ours wraps one of the program's (functools.wraps): a context manager
// as a decorator, functools.singledispatch, tf.Module.with_name_scope. It is converted, so that the functions that it
// calls are.
bool stands_for_users(PyObject* function) {
  static PyObject* const wrapped = PyUnicode_InternFromString("__wrapped__");
  static PyObject* const made_by_conversion = PyUnicode_InternFromString("autograph_info__");
  const std::string file = readable(reinterpret_cast<PyCodeObject*>(PyFunction_GET_CODE(function))->co_filename);
  if (!is_own_file(file.c_str()) && file.find("-packages/") != file.npos) return false;
  for (int deep = 0; deep < 64; ++deep) {
    PyObject* const attributes = reinterpret_cast<PyFunctionObject*>(function)->func_dict;
    if (!attributes || find_item(attributes, made_by_conversion)) return false;
    PyObject* inner = find_item(attributes, wrapped);
    if (inner && PyMethod_Check(inner)) inner = PyMethod_GET_FUNCTION(inner);
    if (!inner || !PyFunction_Check(inner)) return false;
    if (!is_library(reinterpret_cast<PyCodeObject*>(PyFunction_GET_CODE(inner)))) return true;
    function = inner;
  }
  return false;
}

void convert_code(Entry& entry, Entry::Form& form, PyCodeObject* code, PyObject* globals, const Options& options) {
  if (code->co_flags & (CO_COROUTINE | CO_ASYNC_GENERATOR)) {
    form.reason = "an async function";
    return;
  }
  FoundSource source = find_source(code, globals);
  source.options.deepest = options.deepest;
  if (!source.node) {
    form.reason = source.reason;
    return;
  }
  if (!source_is_of(code, globals, source.lines)) {
    form.reason = kChangedFile;
    return;
  }
  auto trees = std::make_unique<ag::Trees>();
  Node* function = read_ast(source.node, trees->tree, source.options);
  if (!function) {
    form.reason = take_message();
    return;
  }
  form.refused = ag::refused_in(function, source.options.private_class);
  entry.contained = ag::contained_of(function);
  trees->conversion = convert(trees->tree, function, options);
  if (!trees->conversion.function) {
    form.reason = trees->conversion.reason;
    return;
  }
  const Ref made = ag::compile_lean(*trees, code);
  if (!made) {
    form.reason = "the converted code does not compile: " + take_message();
    return;
  }
  const Ref wanted = Ref::steal(PyCode_GetFreevars(reinterpret_cast<PyCodeObject*>(made.get())));
  const Ref have = Ref::steal(PyCode_GetFreevars(code));
  if (!wanted || !have) {
    form.reason = take_message();
    return;
  }
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(wanted.get()); ++i) {
    PyObject* name = PyTuple_GET_ITEM(wanted.get(), i);
    const Py_ssize_t index = PySequence_Index(have.get(), name);
    if (index < 0) clear_only(PyExc_ValueError);
    form.cells.push_back(static_cast<int>(index));
    form.runtime.push_back(index < 0 ? ag_runtime_cell(readable(name)) : nullptr);
    if (index < 0 && !form.runtime.back()) {
      form.reason = "unknown free variable " + readable(name);
      return;
    }
  }
  if (std::ranges::all_of(form.cells, [](int index) { return index < 0; }))
    form.closure = tuple_of(form.runtime, [](PyObject* cell) { return Ref::borrow(cell); });
  if (const auto& written = trees->conversion.written; !written.empty())
    ag::put_written(made.get(), reinterpret_cast<PyObject*>(code), written);
  const std::unordered_set<std::string_view> made_names = ag::made_names(trees->tree);
  std::shared_ptr<ag::LateSource> late;
  if (!trees->conversion.late.empty()) {
    late = std::make_shared<ag::LateSource>();
    late->text = source.text;
    late->indented = source.indented;
    late->read = source.options;
    late->options = options;
    late->options.written_at = trees->conversion.written_at;
    late->options.leads_out = nullptr;  // only the staged forms are made again
    late->flags = code->co_flags;
  }
  ag::mark_lean(made.get(), code->co_name, code->co_qualname, made_names, late);
  // True for getters and the like, which never call the runtime.
  form.unchanged = std::ranges::all_of(form.cells, [](int index) { return index >= 0; }) && !ag::find_code(made.get());
  form.code = made;
  if (!late) return;
  trees->owner = source.owner;
  late->trees = std::move(trees);
  ag::keep_latest(late);
}

}  // namespace

namespace ag {

bool note_wrapper(PyObject* function) {
  if (!reinterpret_cast<PyFunctionObject*>(function)->func_dict) return false;
  auto* const code = reinterpret_cast<PyCodeObject*>(PyFunction_GET_CODE(function));
  Entry& entry = entry_of(PyFunction_GET_CODE(function));
  if (entry.stands_for_users || !is_library(code) || !stands_for_users(function)) return false;
  entry.stands_for_users = true;
  for (Entry::Form& form : entry.forms) form = Entry::Form();
  return true;
}

const Entry::Form& form_of(PyCodeObject* code, PyObject* globals, bool recursive) {
  Entry& entry = entry_of(reinterpret_cast<PyObject*>(code));
  const bool recorded = recording_structure();
  Entry::Form& form = entry.forms[recursive + (recorded ? 2 : 0)];
  if (!form.tried) {
    const Timer timer;
    Entry::Form made;  // an interrupt leaves the function unchanged
    Options options{Style::kLean, recursive, recorded, deepest_nesting(), !recorded};
    if (recursive && !recorded)
      options.leads_out = [&](const std::string& name) {
        PyObject* const value = find_item(globals, name.c_str());
        const auto is_package = [&] { return PyModule_Check(value) && find_item(PyModule_GetDict(value), "__path__"); };
        return value && (is_tensor_like(value) || is_package());
      };
    if (is_library(code) && !entry.stands_for_users) made.reason = kLibraryReason;
    else convert_code(entry, made, code, globals, options);
    form = std::move(made);
    form.tried = true;
    if (form.reason != kLibraryReason) {
      if (!form.reason.empty() && ag_verbosity > 0) {
        const auto say = ag_says_on_stdout ? PySys_FormatStdout : PySys_FormatStderr;
        say("AutoGraph: %U (%U:%d) is not converted: %s\n", code->co_qualname, code->co_filename,
            code->co_firstlineno, form.reason.c_str());
      }
      if (form.reason == kChangedFile &&
          PyErr_WarnFormat(PyExc_RuntimeWarning, 1,
                           "AutoGraph: %U (%U:%d) runs as it was loaded, without conversion: %s. Start the program "
                           "again to run what is there now",
                           code->co_qualname, code->co_filename, code->co_firstlineno, form.reason.c_str()) < 0)
        throw PythonErrorSet();
    }
  }
  return form;
}

Ref closure_for(PyFunctionObject* function, const Entry::Form& form) {
  const Py_ssize_t count = static_cast<Py_ssize_t>(form.cells.size());
  if (!count || form.closure) return form.closure;
  Ref closure = Ref::steal(PyTuple_New(count));
  if (!closure) throw PythonErrorSet();
  for (Py_ssize_t i = 0; i < count; ++i) {
    const int index = form.cells[static_cast<size_t>(i)];
    PyObject* cell =
        index >= 0 ? PyTuple_GET_ITEM(function->func_closure, index) : form.runtime[static_cast<size_t>(i)];
    PyTuple_SET_ITEM(closure.get(), i, Py_NewRef(cell));
  }
  return closure;
}

Ref function_from(PyObject* original, const Entry::Form& form) {
  auto* function = reinterpret_cast<PyFunctionObject*>(original);
  Ref made = Ref::steal(PyFunction_NewWithQualName(form.code.get(), function->func_globals, function->func_qualname));
  if (!made) return {};
  auto* fields = reinterpret_cast<PyFunctionObject*>(made.get());
  Py_XSETREF(fields->func_closure, closure_for(function, form).release());
  Py_XSETREF(fields->func_defaults, Py_XNewRef(function->func_defaults));
  Py_XSETREF(fields->func_kwdefaults, Py_XNewRef(function->func_kwdefaults));
  Py_XSETREF(fields->func_annotations, Py_XNewRef(function->func_annotations));
  Py_XSETREF(fields->func_doc, Py_XNewRef(function->func_doc));
  Py_XSETREF(fields->func_module, Py_XNewRef(function->func_module));
  return made;
}

}  // namespace ag

namespace {

using ag::form_of;
using ag::function_from;
using ag::note_wrapper;

// The Python function behind a callable, and the object it is bound to; both borrowed from `callable`.
struct Behind {
  PyObject* function = nullptr;
  PyObject* self = nullptr;
};
Behind behind(PyObject* callable) {
  if (PyFunction_Check(callable)) return {callable, nullptr};
  if (PyMethod_Check(callable) && PyFunction_Check(PyMethod_GET_FUNCTION(callable)))
    return {PyMethod_GET_FUNCTION(callable), PyMethod_GET_SELF(callable)};
  if (PyType_Check(callable) || PyCFunction_Check(callable)) return {};
  static PyObject* const call = PyUnicode_InternFromString("__call__");
  PyObject* method = _PyType_Lookup(Py_TYPE(callable), call);
  if (method && PyFunction_Check(method)) return {method, callable};
  return {};
}

Ref convert_partial(PyObject* partial, bool recursive, bool requested) {
  const Ref function = Ref::steal(PyObject_GetAttrString(partial, "func"));
  const Ref args = Ref::steal(PyObject_GetAttrString(partial, "args"));
  const Ref keywords = Ref::steal(PyObject_GetAttrString(partial, "keywords"));
  if (!function || !args || !keywords) return {};
  const Ref converted = Ref::steal(ag_convert(function.get(), recursive, requested));
  if (!converted) return {};
  if (converted.get() == function.get()) return Ref::borrow(partial);
  const Ref head = Ref::steal(PyTuple_Pack(1, converted.get()));
  const Ref all = head ? Ref::steal(PySequence_Concat(head.get(), args.get())) : Ref();
  return all ? Ref::steal(PyObject_Call(partial_type(), all.get(), keywords.get())) : Ref();
}

// Records a function that is not converted, without text, with one statement that says why.
void record_conversion(PyObject* callable, PyObject* function, std::string reason) {
  session::Writer* writer = session::active_writer();
  Entry& entry = entry_of(PyFunction_GET_CODE(function));
  if (!writer || entry.recorded) return;
  entry.recorded = true;
  session::GeneratedRecord record;
  // A generator is converted, except for what has a yield inside; it has no readable form.
  if (reason.empty() && !ag_generated_record(callable, &record, &reason)) record = {};
  if (!reason.empty()) {
    auto* code = reinterpret_cast<PyCodeObject*>(PyFunction_GET_CODE(function));
    record.name = readable(code->co_name);
    record.statements.push_back({code->co_firstlineno, code->co_firstlineno, "function", "fallback", reason});
  }
  record.function = python_thread.converting_for;
  record.code = code_id(PyFunction_GET_CODE(function));
  record.file = writer->file(readable(reinterpret_cast<PyCodeObject*>(PyFunction_GET_CODE(function))->co_filename));
  writer->add(std::move(record));
}

}  // namespace

PyObject* partial_type() {
  static PyObject* type = nullptr;
  if (!type) {
    const Ref module = checked(PyImport_ImportModule("functools"));
    type = checked(PyObject_GetAttrString(module.get(), "partial")).release();
  }
  return type;
}

PyObject* ag_convert(PyObject* callable, bool recursive, bool requested) {
  const Behind b = behind(callable);
  if (!b.function) {
    if (partial_type() && PyObject_TypeCheck(callable, reinterpret_cast<PyTypeObject*>(partial_type())))
      return convert_partial(callable, recursive, requested).release();
    return Py_NewRef(callable);
  }
  PyObject* code = PyFunction_GET_CODE(b.function);
  const Entry* known = known_entry(code);
  if (known && known->lean) return Py_NewRef(callable);
  note_wrapper(b.function);
  const Entry::Form& form =
      form_of(reinterpret_cast<PyCodeObject*>(code), PyFunction_GET_GLOBALS(b.function), recursive);
  ag::refuse_source(form.refused, reinterpret_cast<PyCodeObject*>(code), requested);
  if (!form.code) {
    if (recording_structure() && !is_library(reinterpret_cast<PyCodeObject*>(code)))
      record_conversion(callable, b.function, form.reason);
    return Py_NewRef(callable);
  }
  if (recording_structure() && !is_library(reinterpret_cast<PyCodeObject*>(code)))
    record_conversion(callable, b.function, {});
  const Ref made = function_from(b.function, form);
  if (!made) return nullptr;
  return b.self ? PyMethod_New(made.get(), b.self) : Py_NewRef(made.get());
}

std::string ag_reason(PyObject* callable) {
  const Behind b = behind(callable);
  if (!b.function) return "not a Python function";
  PyObject* code = PyFunction_GET_CODE(b.function);
  if (ag_is_converted_code(code)) return {};
  note_wrapper(b.function);
  return form_of(reinterpret_cast<PyCodeObject*>(code), PyFunction_GET_GLOBALS(b.function), true).reason;
}

bool ag_is_converted_code(PyObject* code) {
  const Entry* known = known_entry(code);
  return known && known->lean;
}

int ag_verbosity = 0;
bool ag_says_on_stdout = false;

std::string ag_code_reason(PyObject* code) {
  const Entry* known = known_entry(code);
  return known ? known->forms[known->forms[1].tried ? 1 : 3].reason : "";
}

bool ag_may_run_as_written(PyObject* code) {
  const Entry* known = known_entry(code);
  if (!known || !known->forms[1].code || !(known->contained.yes || known->forms[1].unchanged)) return false;
  const std::string name = readable(reinterpret_cast<PyCodeObject*>(code)->co_name);
  return !name.starts_with("__") || name == "__call__";  // Python itself calls special methods, as they are
}

bool ag_is_block_code(PyObject* code) {
  const Entry* known = known_entry(code);
  return known && known->block;
}

bool ag_is_converted(PyObject* function) {
  return PyFunction_Check(function) && ag_is_converted_code(PyFunction_GET_CODE(function));
}

bool ag_is_library(PyObject* code) { return is_library(reinterpret_cast<PyCodeObject*>(code)); }
bool ag_is_library_file(const std::string& path) {
  return is_library(path) || path.find("/site-packages/") != path.npos || path.find("/dist-packages/") != path.npos;
}
constinit AutographHooks autograph_hooks;

bool ag_generated_record(PyObject* callable, session::GeneratedRecord* record, std::string* reason) {
  const Timer timer;
  auto refuse = [&](std::string why) {
    if (reason) *reason = std::move(why);
    return false;
  };
  const Behind b = behind(callable);
  if (!b.function) return refuse("not a Python function");
  auto* code = reinterpret_cast<PyCodeObject*>(PyFunction_GET_CODE(b.function));
  if (code->co_flags & (CO_GENERATOR | CO_COROUTINE | CO_ASYNC_GENERATOR))
    return refuse("a generator or async function");
  const FoundSource source = find_source(code, PyFunction_GET_GLOBALS(b.function));
  if (!source.node) return refuse(source.reason);
  if (!source_is_of(code, PyFunction_GET_GLOBALS(b.function), source.lines)) return refuse(kChangedFile);
  Tree tree;
  Node* function = read_ast(source.node, tree, source.options);
  if (!function) return refuse(take_message());
  record->name = readable(code->co_name);
  const std::string plain = record->name == "<lambda>" ? "lam" : record->name;
  Readable text = readable(tree, function, "tf__" + plain);
  if (text.text.empty()) return refuse(text.reason);
  record->text = std::move(text.text);
  record->line_map = std::move(text.line_map);
  for (Fate& fate : text.statements)
    record->statements.push_back({static_cast<int>(fate.line), static_cast<int>(fate.last_line), std::move(fate.kind),
                                  std::move(fate.fate), std::move(fate.note)});
  return true;
}

int64_t ag_nanoseconds() { return python_thread.conversion_ns; }

ConversionsOf::ConversionsOf(FunctionId function, Conversions& times)
    : before_(std::exchange(python_thread.converting_for, function)),
      times_before_(std::exchange(python_thread.conversions, &times)) {}
ConversionsOf::~ConversionsOf() {
  python_thread.converting_for = before_;
  python_thread.conversions = times_before_;
}

ConversionOff::ConversionOff() { ++python_thread.conversion_off_depth; }
ConversionOff::~ConversionOff() { --python_thread.conversion_off_depth; }
bool conversion_is_off() { return python_thread.conversion_off_depth > 0; }
int exchange_off_depth(int depth) { return std::exchange(python_thread.conversion_off_depth, depth); }

}  // namespace footlight::python
