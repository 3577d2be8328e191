// tf.function objects: the Python side of trace::Function, and the steps of a call.
#pragma once

#include "engine/base/text.h"
#include "engine/python/function/key.h"
#include "engine/trace/function.h"

#include <memory>
#include <string>
#include <vector>

namespace footlight::python {

// --- the parameters of a definition ---
struct FunctionParameter {
  enum Kind : uint8_t { kPositionalOnly, kPositionalOrKeyword, kVarArgs, kKeywordOnly, kVarKeywords };
  std::string name;
  Ref name_object;  // interned
  Kind kind;
  Ref otherwise;    // the default; empty: none
};

struct FunctionSignature {
  std::vector<FunctionParameter> parameters;
  int positional = 0;      // how many may be given by position
  int var_args = -1, var_keywords = -1;
  bool plain = false;      // positional ones only: a call with just these needs no binding
};
FunctionSignature signature_of(PyObject* callable);

// Arguments in the order of the parameters: *args as a tuple, **kwargs as a dict, defaults filled in.
struct BoundArguments {
  std::vector<Ref> values;
};
// In TensorFlow's words, which programs may look for, and what to make of it.
template <class... Parts>
[[noreturn]] void cannot_bind(std::string_view why, const Parts&... more) {
  fail(ErrorKind::kType, "Binding inputs to tf.function failed due to `", why, "`: ", more...);
}
// Throws TypeError that names the function and what is missing or too much.
void bind_arguments(const FunctionSignature&, const std::string& function, PyObject* const* args,
                    Py_ssize_t nargs, PyObject* kwnames, BoundArguments&, bool defaults = true);

// --- what a function returned ---
struct OutputTemplate {
  enum Kind : uint8_t { kTensor, kNone, kList, kTuple, kNamedTuple, kDict, kComposite, kFlattened };
  Kind kind = kNone;
  size_t index = 0;                      // kTensor
  Ref type;                              // kNamedTuple, kDict, kFlattened: the class; kComposite: its spec
  std::vector<Ref> keys;                 // kDict; kFlattened: one, the metadata
  std::vector<OutputTemplate> children;
};
// Flattens the structure; leaves become tensors (in the current trace, if any).
OutputTemplate take_outputs(PyObject* result, std::vector<Tensor>& tensors);
Ref put_together(const OutputTemplate&, std::span<const Ref> leaves);

// --- captures that are not simply those of the trace ---
struct CapturedValue {
  Ref value;  // a tensor, a variable, or a function that is asked at each call
  Ref spec;   // of what such a function gives, if it is known; else it is one tensor
};

// --- one trace ---
struct TracedValues;
class TraceState;
struct TraceEntry final : trace::Trace {
  OutputTemplate outputs;
  bool single_tensor = false;            // the whole result is one tensor
  bool long_work = false;                // long enough to release the GIL
  std::vector<std::string> input_types;  // per flat parameter: "TensorSpec(shape=(), ...)", for printing
  std::vector<std::string> input_names;  // "x", "args_0"
  std::vector<FunctionParameter::Kind> input_kinds;
  std::vector<std::vector<size_t>> leaves_of;  // per parameter: its tensors among the inputs
  Ref structured_args, structured_kwargs;
  std::string output_type;
  std::vector<Ref> captured_variables;   // empty references for captures that are not variables
  Ref object;                            // a weak reference to the ConcreteFunction, once one was made
  std::shared_ptr<TracedValues> traced;  // only while tracing
  std::shared_ptr<TraceState> state;     // of a recorded trace that has read any
  std::shared_ptr<trace::Concrete> open;  // the same graph with its captures as arguments; made when asked for
  std::vector<std::string>
      tensor_names;  // of each tensor among the arguments: "x", or as the user named its spec
  std::vector<std::shared_ptr<TraceEntry>> renamed;  // the same trace under other such names
  std::vector<CapturedValue> replaced;  // instead of the captures of `concrete`, in their order; empty: those
};

struct FunctionOptions {
  Ref input_signature;                   // a tuple, or empty
  bool autograph = true;
  bool reduce_retracing = false;
  bool stages_prints = false;            // Feature.BUILTIN_FUNCTIONS
  Ref jit_compile;
  std::string name;
  Attrs attributes;   // of the function in a library
  Ref given;          // a dict of what tf.function was given by name, or empty
  bool pure = false;  // it implements something by its arguments alone: these are tensors
};

// What a call passes on for the trace it may need. Lives on the stack.
struct CallArguments final : trace::Arguments {
  CallArguments(const CallKey& key, std::span<PyObject* const> v) : Arguments{key.tensors()}, values(v) {}
  std::span<PyObject* const> values;     // in the order of the parameters
};

class FunctionCore final : public trace::FrontEnd {
 public:
  FunctionCore(PyObject* callable, const FunctionOptions&);

  Ref python_function;                   // what the user wrote; bound for a method, while somebody holds that
  Ref converted;                         // what runs while tracing; made at the first trace
  std::string name, qualified_name;
  FunctionOptions options;
  bool ready = false;                    // signature was read
  bool decorated = false;                // python_function is no longer what it was made of
  FunctionSignature signature;
  uint64_t self_number = 0;              // of a method's instance
  SourceRef made_at;
  std::vector<std::vector<Ref>> signature_leaves;  // per parameter: specs in order; with an input_signature only
  trace::Function function;

  void prepare();                        // reads the signature; throws

  std::string graph_name() const override;
  const trace::FunctionSource& source() override;
  std::vector<std::string> parameters() const override;
  std::shared_ptr<const keys::Names> names(std::span<const uint64_t> key) const override { return names_for(key); }
  std::vector<uint64_t> declared(std::span<const uint64_t> key) const override;
  std::vector<std::string> describe_captures(const trace::Trace&) const override;
  std::shared_ptr<trace::Trace> new_trace() override { return std::make_shared<TraceEntry>(); }
  std::vector<Tensor> run_body(trace::TraceRun&) override;
  void finish(trace::TraceRun&) override;
  std::shared_ptr<trace::Trace> with_graph(const trace::Trace&, std::shared_ptr<trace::Concrete>) override;
  std::exception_ptr failure() override;
  std::string describe(const std::exception_ptr&) const override;
  void wait(std::recursive_mutex& tracing) override;
  void warn(const std::string& text) override;

 private:
  std::unique_ptr<trace::FunctionSource> source_;
};

struct PyTracedFunction {
  PyObject_HEAD
  vectorcallfunc vectorcall;
  FunctionCore* core;
  PyObject* dict;
  PyObject* weakrefs;
  PyObject* method;  // what its instance keeps of it, which has the core and the dictionary; null: it has its own
};
extern PyTypeObject* function_type;
inline FunctionCore& core_of(PyObject* o) { return *reinterpret_cast<PyTracedFunction*>(o)->core; }
bool is_function(PyObject*);
// What lives as long as the function is known: of a method, what its instance keeps.
PyObject* lasting(PyObject* function);
PyObject* reduce_function(PyObject* self, PyObject*);  // __reduce__
// A new tf.function object around `callable`.
Ref make_function(PyObject* callable, const FunctionOptions&);

// --- steps ---
// The key of a call: context, the instance, then each parameter.
void write_key(FunctionCore&, std::span<PyObject* const> values, CallKey&);
// Converts arguments to the input_signature, or throws an error that shows both.
void apply_signature(FunctionCore&, BoundArguments&);
// Throws kSignatureMismatch for an input_signature that has not one entry for each parameter without a default.
void check_signature(FunctionCore&);
Ref result_of(const TraceEntry&, std::span<Tensor> outputs);
// Where that is in the user's program, as Python writes it, on a new line; empty if it is not known.
std::string line_of(SourceRef);
// In a handler: adds the place in the user's program where the failing node was made to the message of an error from a
// graph, and throws it again.
[[noreturn]] void explain_failure();
Ref run_entry(TraceEntry&, std::span<const Tensor> arguments, CallId);

// --- captures.cpp ---
// In its scope a function is traced, which may ask for values to capture at each call.
class CapturesAtCall {
 public:
  explicit CapturesAtCall(trace::GraphBuilder&);
  ~CapturesAtCall();
  CapturesAtCall(const CapturesAtCall&) = delete;
  CapturesAtCall& operator=(const CapturesAtCall&) = delete;
  void finish(TraceEntry&);  // the body has run

 private:
  trace::GraphBuilder& builder_;
};
std::vector<Tensor> captures_now(TraceEntry&);
void set_captures(TraceEntry&, PyObject* values);
void replace_capture(TraceEntry&, PyObject* captured, PyObject* closure, PyObject* spec);
trace::Concrete& with_open_captures(TraceEntry&);
Ref run_replaced(TraceEntry&, std::span<const Tensor> arguments, CallId);
void init_captures(PyObject* module);

// --- concrete_arguments.cpp ---
struct ConcreteCall {
  FunctionCore& core;
  TraceEntry& entry;
};
// As the function's own parameters or, where that does not fit, each tensor by itself. `other_shapes`: is set, in place
// of an error, where tensors that are given by themselves have other shapes than the trace is for.
std::vector<Tensor> concrete_arguments(const ConcreteCall&, PyObject* const* args, Py_ssize_t nargs,
                                       PyObject* kwnames, bool* other_shapes = nullptr);
std::vector<Tensor> flat_arguments(const ConcreteCall&, PyObject* const* args, Py_ssize_t nargs,
                                   PyObject* kwnames, bool* other_shapes = nullptr);
// The name of each tensor among the arguments, where each is given by itself: "x", "x_1" of a list.
std::vector<std::string> flat_names(const TraceEntry&);
// The tensor for input `index`, checked against its placeholder. `converts`: a value of Python's becomes one
// too. `other_shape`: is set, in place of an error, where the shape does not fit.
Tensor checked_input(const ConcreteCall&, size_t index, PyObject* value, const std::string& parameter,
                     bool converts = true, bool* other_shape = nullptr);
// The value of a parameter in the trace, from structured_input_signature.
Ref declared(const TraceEntry&, size_t parameter, size_t& positional);

// The trace itself or, where specs among the arguments have other names than those that it was traced with,
// one that has these.
std::shared_ptr<TraceEntry> with_names(FunctionCore&, const std::shared_ptr<TraceEntry>&,
                                       std::span<PyObject* const> values);

// --- texts ---
std::string type_text(PyObject* value);                      // of an argument: "List[Literal[1], ...]"
std::string output_text(const OutputTemplate&, const Graph&);
std::string signature_block(const TraceEntry&);              // Input Parameters: ... Captures: ...
std::string function_type_text(const TraceEntry&);           // (x: TensorSpec(...)) -> ...

// --- concrete functions and graphs as Python objects ---
Ref concrete_object(PyObject* function, const std::shared_ptr<TraceEntry>&);
// The trace of a ConcreteFunction; throws TypeError for anything else.
std::shared_ptr<TraceEntry> concrete_entry(PyObject*);
// The number, in the recording that runs, of the function whose trace a ConcreteFunction is.
FunctionId concrete_function(PyObject*);
void init_function_type();
void init_concrete(PyObject* module);
void init_graph_parts(PyObject* module);
void init_collected(PyObject* module);

// The graphs of functions that are called, while somebody asks for them; else null.
extern std::vector<GraphPtr>* collected_graphs;
void collect_graph(const TraceEntry&);
void init_function_control();
void init_vectorized();

// Logs a warning through Python's logging, as TensorFlow does.
void log_warning(const std::string& text);
// "train.py:14", where the code of a callable begins; empty if it has none.
std::string definition_place(PyObject* callable);
// The name itself, unless a library makes the function under one that its users know better.
std::string name_by_library(std::string qualified_name);

}  // namespace footlight::python
