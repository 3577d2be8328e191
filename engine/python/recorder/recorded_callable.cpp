// Callables that stand in for others: timed() records each call as a span, called() as a call of a traced function, and
// serves() says of the call around it which trace serves it; hooked() tells an adapter of each call; eager_op() records
// each as an op.
#include "engine/python/recorder/module.h"
#include "engine/python/recorder/stand_in.h"

#include "engine/base/clock.h"
#include "engine/base/end_of_sequence.h"
#include "engine/base/recording.h"
#include "engine/base/thread_context.h"
#include "engine/python/interpreter/arguments.h"
#include "engine/python/interpreter/attributes.h"
#include "engine/python/interpreter/exceptions.h"
#include "engine/python/interpreter/text.h"
#include "engine/python/interpreter/thread_context.h"
#include "engine/python/interpreter/walk.h"
#include "engine/python/recorder/adapter_calls.h"
#include "engine/python/recorder/code_objects.h"
#include "engine/python/recorder/eager_ops.h"
#include "engine/python/recorder/executable_uses.h"
#include "engine/python/recorder/signature.h"
#include "engine/record/spans.h"
#include "engine/session/events.h"

#include <algorithm>
#include <memory>
#include <unordered_map>
#include <vector>

namespace footlight::python {
namespace {

PyObject* call_as_span(PyObject* self, PyObject* const* args, size_t count, PyObject* keywords) {
  RecordedCallable* const timed = recorded(self);
  if (!recording_structure()) return PyObject_Vectorcall(timed->wrapped.get(), args, count, keywords);
  const Ref kept = Ref::borrow(self);  // the callable may drop the last reference to this
  const int64_t start_ns = now_ns();
  PyObject* const result = PyObject_Vectorcall(timed->wrapped.get(), args, count, keywords);
  record::add_span(timed->name, timed->category, start_ns, now_ns());
  return result;
}

// timed(callable, name=None, category=''): the stand-in whose calls are spans.
PyObject* timed(PyObject*, PyObject* args, PyObject* keywords) {
  PyObject *wrapped, *name = Py_None, *category = nullptr;
  parse_keywords(args, keywords, "O|OU:timed", {"callable", "name", "category"}, &wrapped, &name, &category);
  if (!PyCallable_Check(wrapped)) throw Error(ErrorKind::kType, "timed: the first argument is not callable");
  Ref own_name = Ref::borrow(name);
  if (name == Py_None) {
    own_name = Ref::steal(PyObject_GetAttrString(wrapped, "__qualname__"));
    if (!own_name) clear_only(PyExc_AttributeError);
    if (!own_name) own_name = checked(PyType_GetQualName(Py_TYPE(wrapped)));
  }
  if (!PyUnicode_Check(own_name.get())) throw Error(ErrorKind::kType, "timed: the name must be a str");
  std::string name_text = readable(own_name.get()), category_text = category ? readable(category) : "";
  return stand_in(call_as_span, wrapped, std::move(name_text), std::move(category_text), {}).release();
}

}  // namespace

// A call that is being recorded on this thread, and the one around it. Declared in interpreter/thread_context.h.
struct RecordedCall {
  RecordedCallable* of;
  FunctionId function;
  PyObject* const* args;
  size_t num_positional;
  PyObject* keywords;
  CallId id;
  TraceId trace = {};
  KeyId key = {};
  CallOutcome outcome = CallOutcome::kHit;
  bool served = false;   // something that was traced ran
  bool dropped = false;  // it turned out to be no call that a recording shows
  RecordedCall* outer = nullptr;
};

namespace {

CallOutcome outcome_called(const std::string& name) {
  const auto known = std::ranges::find(session::kCallOutcomes, std::string_view(name));
  if (known == std::end(session::kCallOutcomes))
    throw Error(ErrorKind::kValue, "no outcome of a call is called '" + name + "'");
  return static_cast<CallOutcome>(known - std::begin(session::kCallOutcomes));
}

struct FinishedCall {
  CallId call;
  FunctionId function;
  TraceId trace;
};
thread_local FinishedCall finished;

uint64_t signature_of(const RecordedCall& call, uint64_t context) {
  return signature_of(call.of->traced->rules, call.args, call.num_positional, call.keywords) ^ context;
}

// The trace that served a call with the same signature is taken to serve this one, unless describe_call() says
// otherwise meanwhile.
void assume_trace(RecordedCall& call) {
  const Traced& traced = *call.of->traced;
  if (traced.served.empty()) return;
  quietly([&] {
    // Settings are compared only where calls were made under several.
    const uint64_t context = traced.contexts.size() == 1 ? *traced.contexts.begin() : context_of(traced.rules);
    const auto known = traced.served.find(signature_of(call, context));
    if (known == traced.served.end()) return;
    call.trace = known->second.trace;
    call.key = known->second.key;
  });
}

// As long as all described calls were served alike, nothing is computed from the arguments of the others: they can only
// have been served like these. A call that failed may have met no trace at all.
void assume_only_trace(RecordedCall& call, bool has_failed) {
  const Traced& traced = *call.of->traced;
  if (call.trace.valid() || traced.served.empty()) return;
  if (has_failed || !traced.is_served_alike) return assume_trace(call);
  call.trace = traced.served.begin()->second.trace;
  call.key = traced.served.begin()->second.key;
}

// Remembers which trace served the call that is being described.
void remember_trace(const RecordedCall& call) {
  Traced& traced = *call.of->traced;
  if (!traced.rules.any()) return;
  quietly([&] {
    const Traced::Served served{call.trace, call.key};
    const uint64_t context = context_of(traced.rules);
    traced.contexts.insert(context);
    traced.served[signature_of(call, context)] = served;
    traced.is_served_alike = !traced.tell_earlier && std::ranges::all_of(
        traced.served, [&](const auto& known) { return known.second == served; });
  });
}

// Whether TensorFlow's current exception is the end of a dataset. It ends a loop over an iterator, and no call fails by
// it, as in the own engine.
bool is_end_of_sequence() {
  Ref exception = take_exception();
  bool is_end = false;
  if (exception && std::string_view(Py_TYPE(exception.get())->tp_name) == "OutOfRangeError")
    quietly([&] {
      const std::string text = readable(checked(PyObject_Str(exception.get())).get());
      is_end = text.find(kEndOfSequence) != text.npos;
    });
  raise_again(std::move(exception));
  return is_end;
}

// Calls what watch() was given, before each of the first calls and then so often that it takes a hundredth of the time.
void check_state(Traced& traced) {
  constexpr int kFirstChecks = 200, kShare = 100;
  const int64_t start_ns = now_ns();
  if (++traced.num_checks > kFirstChecks && start_ns < traced.next_check_ns) return;
  quietly([&] {
    const Ref kept = Ref::borrow(traced.check.get());
    checked(PyObject_CallFunction(kept.get(), "I", traced.function.value));
  });
  const int64_t end_ns = now_ns();
  traced.next_check_ns = end_ns + (end_ns - start_ns) * kShare;
}

// The attribute in which the adapter of an engine with one class of traced functions keeps the number of each.
FunctionId number_in(PyObject* function) {
  FunctionId found;
  quietly([&] {
    const Ref number = optional_attribute(function, "_footlight_function");
    if (!number || !PyLong_Check(number.get())) return;
    found = FunctionId(static_cast<uint32_t>(PyLong_AsUnsignedLong(number.get())));
  });
  return found;
}

PyObject* call_as_traced(PyObject* self, PyObject* const* args, size_t count, PyObject* keywords) {
  PyObject* const wrapped = recorded(self)->wrapped.get();
  if (!recording_structure()) return PyObject_Vectorcall(wrapped, args, count, keywords);
  const bool of_any = !recorded(self)->traced->function.valid();
  const FunctionId function = !of_any                     ? recorded(self)->traced->function
                              : PyVectorcall_NARGS(count) ? number_in(args[0])
                                                          : FunctionId();
  if (!function.valid()) return PyObject_Vectorcall(wrapped, args, count, keywords);
  const Ref kept = Ref::borrow(self);  // the callable may drop the last reference to this
  RecordedCall call{.of = recorded(self),
                    .function = function,
                    .args = args,
                    .num_positional = static_cast<size_t>(PyVectorcall_NARGS(count)),
                    .keywords = keywords,
                    .id = next_call_id(),
                    .outer = python_thread.recorded_call};
  // Which trace serves is said meanwhile, except where the body runs without one.
  if (of_any) call.outcome = CallOutcome::kEager;
  Traced& traced = *call.of->traced;
  if (traced.check) check_state(traced);
  const bool was_served_alike = traced.is_served_alike;
  if (!was_served_alike) assume_trace(call);
  CallEvent event{.parent = this_thread.call, .source = python_caller()};
  python_thread.recorded_call = &call;
  this_thread.call = call.id;
  event.start_ns = now_ns();
  PyObject* const result = PyObject_Vectorcall(wrapped, args, count, keywords);
  event.end_ns = now_ns();
  if (result && traced.tell_earlier && !call.trace.valid())
    call_adapter_with_number(traced.tell_earlier, function.value, args, count, keywords);
  this_thread.call = event.parent;
  python_thread.recorded_call = call.outer;
  if (call.dropped || !recording_structure()) return result;
  const bool is_at_end = !result && is_end_of_sequence();
  if (was_served_alike) assume_only_trace(call, !result && !is_at_end);
  const bool has_failed = !result && !(is_at_end && call.trace.valid());
  event.call = call.id;
  event.function = call.function;
  event.trace = call.trace;
  event.key = call.key;
  event.outcome = has_failed ? CallOutcome::kFailed : call.outcome;
  if (!has_failed && !call.served && call.outcome == CallOutcome::kHit) event.outcome = traced.unserved;
  if (is_at_end && !has_failed) record::add_end_of_data(event.start_ns);
  record_call(event);
  if (result && any_executables_counted())
    count_use(call.trace, call.outcome == CallOutcome::kCompile, traced.rules, args, call.num_positional, keywords);
  finished = {event.call, event.function, event.trace};
  return result;
}

// What is known of the functions by number, until forget(): an engine may share traces among all callables that it
// makes of one function. Accessed with the GIL held.
std::unordered_map<uint32_t, std::shared_ptr<Traced>>& traced_functions() {
  static auto* const functions = new std::unordered_map<uint32_t, std::shared_ptr<Traced>>;
  return *functions;
}

SignatureRules rules_of(PyObject* positions, PyObject* names, PyObject* flatten, PyObject* context,
                        PyObject* array_type) {
  SignatureRules rules;
  if (positions)
    for (PyObject* const position : Items(positions)) {
      rules.static_positions.insert(PyLong_AsSsize_t(position));
      if (PyErr_Occurred()) throw PythonErrorSet();
    }
  if (names)
    for (PyObject* const name : Items(names)) rules.static_names.emplace(utf8(name));
  if (flatten != Py_None) rules.flatten = Ref::borrow(flatten);
  if (context != Py_None) rules.context = Ref::borrow(context);
  if (array_type != Py_None) rules.array_type = Ref::borrow(array_type);
  return rules;
}

// The call around it, if it is one of that function, is served by the trace. Else this is a call that nothing else
// records: of a function that was compiled since another one calls it, or of what follows a graph break.
PyObject* call_as_served(PyObject* self, PyObject* const* args, size_t count, PyObject* keywords) {
  PyObject* const wrapped = recorded(self)->wrapped.get();
  if (!recording_structure()) return PyObject_Vectorcall(wrapped, args, count, keywords);
  const Ref kept = Ref::borrow(self);
  Serves& serves = *recorded(self)->serves;
  const bool first = !std::exchange(serves.ran, true);
  const KeyId key = first ? serves.first_key : serves.key;
  const CallOutcome outcome = first ? CallOutcome::kTrace : CallOutcome::kHit;
  RecordedCall* const call = python_thread.recorded_call;
  if (call) call->served = true;
  if (call && serves.function == call->of->traced->function) {
    if (!call->trace.valid()) call->trace = serves.trace, call->key = key, call->outcome = outcome;
    return PyObject_Vectorcall(wrapped, args, count, keywords);
  }
  if (call && first && call->outcome == CallOutcome::kHit) call->outcome = CallOutcome::kCompile;
  CallEvent event{.parent = this_thread.call, .source = python_caller()};
  event.call = next_call_id();
  event.start_ns = now_ns();
  PyObject* const result = PyObject_Vectorcall(wrapped, args, count, keywords);
  event.end_ns = now_ns();
  if (!recording_structure()) return result;
  event.function = serves.function;
  event.trace = serves.trace;
  event.key = key;
  const bool is_at_end = !result && is_end_of_sequence();
  event.outcome = result || is_at_end ? outcome : CallOutcome::kFailed;
  if (is_at_end) record::add_end_of_data(event.start_ns);
  record_call(event);
  return result;
}

// serves(callable, function, trace, ran): the stand-in for what an engine compiled.
PyObject* serves(PyObject*, PyObject* args) {
  PyObject* wrapped;
  unsigned int function, trace;
  int ran = 0;
  if (!PyArg_ParseTuple(args, "OII|p:serves", &wrapped, &function, &trace, &ran)) throw PythonErrorSet();
  if (!PyCallable_Check(wrapped)) throw Error(ErrorKind::kType, "serves: the first argument is not callable");
  auto what = std::make_unique<Serves>(FunctionId(function), TraceId(trace));
  what->ran = ran;
  return stand_in(call_as_served, wrapped, "", "", {}, std::move(what)).release();
}

// serve_keys(stand_in, key, first_key): what the trace serves, and what the call asked for that made it.
PyObject* serve_keys(PyObject*, PyObject* args) {
  PyObject* stand_in;
  unsigned int key, first_key;
  if (!PyArg_ParseTuple(args, "O!II:serve_keys", &recorded_callable_type, &stand_in, &key, &first_key))
    throw PythonErrorSet();
  Serves* const serves = recorded(stand_in)->serves.get();
  if (!serves) throw Error(ErrorKind::kType, "serve_keys: serves() did not make the first argument");
  serves->key = KeyId(key);
  serves->first_key = KeyId(first_key);
  Py_RETURN_NONE;
}

// A program that asks the engine's callable for what it wraps gets the same from its stand-in.
void show_wrapped(PyObject* stand_in, PyObject* callable) {
  if (const Ref inner = optional_attribute(callable, "__wrapped__"))
    if (PyObject_SetAttrString(stand_in, "__wrapped__", inner.get()) < 0) throw PythonErrorSet();
}

// called(callable, function, static_positions=(), static_names=(), flatten=None, context=None, array_type=None,
// unserved="hit"): the stand-in for a traced function.
PyObject* called(PyObject*, PyObject* args, PyObject* keywords) {
  PyObject *wrapped, *number, *positions = nullptr, *names = nullptr;
  PyObject *flatten = Py_None, *context = Py_None, *array_type = Py_None, *unserved = nullptr;
  parse_keywords(args, keywords, "OO|OOOOOU:called",
                 {"callable", "function", "static_positions", "static_names", "flatten", "context", "array_type",
                  "unserved"},
                 &wrapped, &number, &positions, &names, &flatten, &context, &array_type, &unserved);
  if (!PyCallable_Check(wrapped)) throw Error(ErrorKind::kType, "called: the first argument is not callable");
  if (number == Py_None) return stand_in(call_as_traced, wrapped, "", "", std::make_shared<Traced>()).release();
  const auto function = static_cast<uint32_t>(PyLong_AsUnsignedLong(number));
  if (PyErr_Occurred()) throw PythonErrorSet();
  std::shared_ptr<Traced>& traced = traced_functions()[function];
  if (!traced)
    traced = std::make_shared<Traced>(FunctionId(function), rules_of(positions, names, flatten, context, array_type));
  if (unserved) traced->unserved = outcome_called(readable(unserved));
  Ref made = stand_in(call_as_traced, wrapped, "", "", traced);
  show_wrapped(made.get(), wrapped);
  return made.release();
}

// watch(function, check)
PyObject* watch(PyObject*, PyObject* args) {
  unsigned int function;
  PyObject* check;
  if (!PyArg_ParseTuple(args, "IO:watch", &function, &check)) throw PythonErrorSet();
  const auto known = traced_functions().find(function);
  if (known != traced_functions().end()) known->second->check = Ref::borrow(check);
  Py_RETURN_NONE;
}

// adopt(function, tell)
PyObject* adopt(PyObject*, PyObject* args) {
  unsigned int function;
  PyObject* tell;
  if (!PyArg_ParseTuple(args, "IO:adopt", &function, &tell)) throw PythonErrorSet();
  const auto known = traced_functions().find(function);
  if (known == traced_functions().end()) Py_RETURN_NONE;
  known->second->tell_earlier = Ref::borrow(tell);
  known->second->is_served_alike = false;
  Py_RETURN_NONE;
}

PyObject* forget(PyObject*, PyObject* function) {
  const unsigned long number = PyLong_AsUnsignedLong(function);
  if (PyErr_Occurred()) throw PythonErrorSet();
  traced_functions().erase(static_cast<uint32_t>(number));
  Py_RETURN_NONE;
}

// current_call(): (call, function), or None outside of all recorded calls.
PyObject* current_call(PyObject*, PyObject*) {
  const RecordedCall* const call = python_thread.recorded_call;
  if (!call) Py_RETURN_NONE;
  return Py_BuildValue("KI", static_cast<unsigned long long>(call->id.value), call->function.value);
}

// finished_call(): (call, function, trace or None), or None before the first.
PyObject* finished_call(PyObject*, PyObject*) {
  if (!finished.call.valid()) Py_RETURN_NONE;
  const Ref trace =
      finished.trace.valid() ? checked(PyLong_FromUnsignedLong(finished.trace.value)) : Ref::borrow(Py_None);
  return Py_BuildValue("KIO", static_cast<unsigned long long>(finished.call.value), finished.function.value,
                       trace.get());
}

// describe_call(trace=None, outcome=None, key=None): sets these of the innermost call; the outcome "none" drops it.
PyObject* describe_call(PyObject*, PyObject* args, PyObject* keywords) {
  PyObject *trace = Py_None, *outcome = Py_None, *key = Py_None;
  parse_keywords(args, keywords, "|OOO:describe_call", {"trace", "outcome", "key"}, &trace, &outcome, &key);
  RecordedCall* const call = python_thread.recorded_call;
  if (!call) Py_RETURN_NONE;
  if (trace != Py_None) {
    call->served = true;
    call->trace = TraceId(static_cast<uint32_t>(PyLong_AsUnsignedLong(trace)));
    if (PyErr_Occurred()) throw PythonErrorSet();
  }
  if (key != Py_None) call->key = KeyId(static_cast<uint32_t>(PyLong_AsUnsignedLong(key)));
  if (PyErr_Occurred()) throw PythonErrorSet();
  if (trace != Py_None) remember_trace(*call);
  if (outcome == Py_None) Py_RETURN_NONE;
  const std::string name = readable(outcome);
  call->dropped = name == "none";
  if (!call->dropped) call->outcome = outcome_called(name);
  Py_RETURN_NONE;
}

PyObject* call_as_hook(PyObject* self, PyObject* const* args, size_t count, PyObject* keywords) {
  const RecordedCallable* const hook = recorded(self);
  const Ref kept = Ref::borrow(self);  // the callable may drop the last reference to this
  if (!recording_structure()) return PyObject_Vectorcall(hook->wrapped.get(), args, count, keywords);
  const Ref state = hook->before ? call_adapter(hook->before, {}, args, count, keywords) : Ref::borrow(Py_None);
  PyObject* const result = PyObject_Vectorcall(hook->wrapped.get(), args, count, keywords);
  if (!hook->after) return result;
  const ExceptionSetAside aside;  // of the callable: `after` gets it
  PyObject* const first[] = {state.get(), result ? result : Py_None, aside.get() ? aside.get() : Py_None};
  call_adapter(hook->after, first, args, count, keywords);
  return result;
}

// hooked(callable, before=None, after=None)
PyObject* hooked(PyObject*, PyObject* args, PyObject* keywords) {
  PyObject *wrapped, *before = Py_None, *after = Py_None;
  parse_keywords(args, keywords, "O|OO:hooked", {"callable", "before", "after"}, &wrapped, &before, &after);
  if (!PyCallable_Check(wrapped)) throw Error(ErrorKind::kType, "hooked: the first argument is not callable");
  Ref made = stand_in(call_as_hook, wrapped, "", "", nullptr);
  if (before != Py_None) recorded(made.get())->before = Ref::borrow(before);
  if (after != Py_None) recorded(made.get())->after = Ref::borrow(after);
  return made.release();
}

PyObject* call_as_eager_op(PyObject* self, PyObject* const* args, size_t count, PyObject* keywords) {
  PyObject* const wrapped = recorded(self)->wrapped.get();
  if (!recording_ops()) return PyObject_Vectorcall(wrapped, args, count, keywords);
  const Ref kept = Ref::borrow(self);  // the callable may drop the last reference to this
  return recorded(self)->eager->call(wrapped, args, count, keywords);
}

// eager_op(callable, describe, arrays, result=None, first=0, op_at=-1)
PyObject* eager_op(PyObject*, PyObject* args, PyObject* keywords) {
  PyObject *wrapped, *describe, *arrays, *result = Py_None;
  Py_ssize_t first = 0, op_at = -1;
  parse_keywords(args, keywords, "OOO!|Onn:eager_op", {"callable", "describe", "arrays", "result", "first", "op_at"},
                 &wrapped, &describe, &PyTuple_Type, &arrays, &result, &first, &op_at);
  if (!PyCallable_Check(wrapped)) throw Error(ErrorKind::kType, "eager_op: the first argument is not callable");
  Ref made = stand_in(call_as_eager_op, wrapped, "", "", nullptr);
  recorded(made.get())->eager = std::make_unique<EagerOps>(EagerOps{
      Ref::borrow(describe), Ref::borrow(arrays), result == Py_None ? Ref() : Ref::borrow(result), first, op_at});
  show_wrapped(made.get(), wrapped);
  return made.release();
}

PyMethodDef functions[] = {
    {"eager_op", as_method(guard<eager_op>), METH_VARARGS | METH_KEYWORDS,
     "eager_op(callable, describe, arrays, result=None, first=0, op_at=-1): a stand-in whose calls are recorded as "
     "ops. EagerOps in eager_ops.h says what the arguments are."},
    {"hooked", as_method(guard<hooked>), METH_VARARGS | METH_KEYWORDS,
     "hooked(callable, before=None, after=None): a stand-in for the callable that calls before(*args, **kwargs), the "
     "callable, then after(what before gave, the result or None, the exception or None, *args, **kwargs). No frame of "
     "it is on the stack meanwhile, and what the two raise is dropped."},
    {"timed", as_method(guard<timed>), METH_VARARGS | METH_KEYWORDS,
     "timed(callable, name=None, category=''): the callable, each call of which is recorded as a span."},
    {"called", as_method(guard<called>), METH_VARARGS | METH_KEYWORDS,
     "called(callable, function, static_positions=(), static_names=(), flatten=None, context=None, array_type=None, "
     "unserved='hit'): a stand-in for the callable that records each call as one of the traced function with that "
     "number; None: with the number that the first argument has as _footlight_function. With any of the other "
     "arguments but the last, calls whose arguments are alike are taken to be served by the same trace. context() "
     "returns the settings that count too; array_type names the attribute of an array that says its shape, dtype and "
     "weak type and never changes. What is known of a function is kept until forget(); the arguments count where it "
     "is first named. "
     "`unserved` is the outcome of a call inside of which nothing ran that serves() or describe_call() tells of."},
    {"watch", guard<watch>, METH_VARARGS,
     "watch(function, check): check(function) is called before calls of the function with that number, as often as a "
     "hundredth of the time allows."},
    {"adopt", guard<adopt>, METH_VARARGS,
     "adopt(function, tell): the function has traces from before the recorder. tell(function, *args, **kwargs) "
     "describes a call that none of the known ones served."},
    {"serves", guard<serves>, METH_VARARGS,
     "serves(callable, function, trace, ran=False): a stand-in for what an engine compiled. When it runs, the trace "
     "serves the call of that function around it, or else a call that is recorded then. The first run is part of the "
     "call that made the trace, unless it `ran` before the recorder was there."},
    {"serve_keys", guard<serve_keys>, METH_VARARGS,
     "serve_keys(stand_in, key, first_key): the key of what serves() stands in for, and that of its first call."},
    {"forget", guard<forget>, METH_O,
     "forget(function): no more stand-ins will be made for the function with that number."},
    {"current_call", guard<current_call>, METH_NOARGS,
     "current_call(): the innermost call that is being recorded on this thread, as (call, function), or None."},
    {"finished_call", guard<finished_call>, METH_NOARGS,
     "finished_call(): the call that was recorded last on this thread, as (call, function, trace or None), or None."},
    {"describe_call", as_method(guard<describe_call>), METH_VARARGS | METH_KEYWORDS,
     "describe_call(trace=None, outcome=None, key=None): sets what is known of the innermost call. With the outcome "
     "'none' it is not recorded."},
    {nullptr, nullptr, 0, nullptr}};

}  // namespace

void init_recorded_callables(PyObject* module) {
  init_stand_ins();
  if (PyModule_AddFunctions(module, functions) < 0) throw PythonErrorSet();
}

}  // namespace footlight::python
