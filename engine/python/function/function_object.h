// tf.function objects: what each holds, and the steps of a call.
#pragma once

#include "engine/explain/dispatch.h"
#include "engine/python/function/key.h"
#include "engine/session/records.h"
#include "engine/trace/concrete.h"

#include <memory>
#include <mutex>
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
// Throws TypeError that names the function and what is missing or too much.
void bind_arguments(const FunctionSignature&, const std::string& function, PyObject* const* args,
                    Py_ssize_t nargs, PyObject* kwnames, BoundArguments&, bool defaults = true);

// --- what a function returned ---
struct OutputTemplate {
  enum Kind : uint8_t { kTensor, kNone, kList, kTuple, kNamedTuple, kDict };
  Kind kind = kNone;
  size_t index = 0;                      // kTensor
  Ref type;                              // kNamedTuple: the class; kDict: the class
  std::vector<Ref> keys;                 // kDict
  std::vector<OutputTemplate> children;
};
// Takes the structure apart; leaves become tensors (inside of a trace when there is one).
OutputTemplate take_outputs(PyObject* result, std::vector<Tensor>& tensors);
Ref put_together(const OutputTemplate&, std::span<const Ref> leaves);

// --- one trace ---
struct TraceEntry {
  int64_t autograph_ns = 0;  // of its trace, spent on conversions
  std::shared_ptr<trace::Concrete> concrete;
  OutputTemplate outputs;
  bool single_tensor = false;            // the whole result is one tensor
  bool long_work = false;                // worth letting go of the GIL for
  TraceId id;
  GraphId graph_id;
  explain::Key key;
  std::vector<std::string> input_types;  // per flat parameter: "TensorSpec(shape=(), ...)", for printing
  std::vector<std::string> input_names;  // "x", "args_0"
  std::vector<FunctionParameter::Kind> input_kinds;
  std::vector<std::vector<size_t>> leaves_of;  // per parameter: its tensors among the inputs
  Ref structured_args, structured_kwargs;
  std::string output_type;
  std::vector<Ref> captured_variables;   // empty references where a capture is no variable
  Ref object;                            // the ConcreteFunction, once somebody asked; a weak reference
};

struct FunctionOptions {
  Ref input_signature;                   // a tuple, or empty
  bool autograph = true;
  bool reduce_retracing = false;
  Ref jit_compile;
  std::string name;
};

// What functions of one definition share: the instances of a class have a Function each, the session knows one.
struct Family {
  FunctionId id;
  bool recorded = false;
  struct Seen { explain::Key key; TraceId trace; };
  std::vector<Seen> keys;                // of all its traces, for the nearest
  int traces = 0;
};

// The books behind the warning about frequent retracing, one for all functions made of one code object.
struct Detector {
  uint64_t recent = 0;                   // one bit per call, the latest lowest: it traced
};

class FunctionCore {
 public:
  Ref python_function;                   // what the user wrote; bound for a method
  Ref converted;                         // what runs while tracing; made at the first trace
  int64_t conversion_ns = 0;             // what that took, until it was recorded
  std::string name, qualified_name;
  FunctionOptions options;
  bool ready = false;                    // signature was read
  FunctionSignature signature;
  explain::DispatchTable table;
  std::vector<std::shared_ptr<TraceEntry>> entries;
  enum class State : uint8_t { kNew, kPlain, kMadeVariables } state = State::kNew;
  std::recursive_mutex tracing;
  int tracing_count = 0;
  int depth = 0;                         // traces of this function that are under way
  std::shared_ptr<Family> family = std::make_shared<Family>();
  uint64_t self_number = 0;              // of a method's instance

  std::shared_ptr<Detector> detector = std::make_shared<Detector>();
  bool warned = false;
  SourceRef made_at;
  std::vector<std::vector<Ref>> signature_leaves;  // per parameter: specs in order; with an input_signature only

  void prepare();                        // reads the signature; throws
};

struct PyTracedFunction {
  PyObject_HEAD
  vectorcallfunc vectorcall;
  FunctionCore* core;
  PyObject* dict;
  PyObject* weakrefs;
};
extern PyTypeObject* function_type;
inline FunctionCore& core_of(PyObject* o) { return *reinterpret_cast<PyTracedFunction*>(o)->core; }
bool is_function(PyObject*);
// A new tf.function object around `callable`.
Ref make_function(PyObject* callable, const FunctionOptions&);

// --- steps ---
// The key of a call: context, the instance, then each parameter.
void write_key(FunctionCore&, std::span<PyObject* const> values, CallKey&);
// The trace for a key, made when there is none. `values` are the bound arguments.
std::shared_ptr<TraceEntry> find_or_trace(FunctionCore&, std::span<PyObject* const> values, CallKey&,
                                          session::TraceReason, bool& traced);
// Traces for `words` (the call's own, or more general).
std::shared_ptr<TraceEntry> make_trace(FunctionCore&, std::span<PyObject* const> values, CallKey&,
                                       std::span<const uint64_t> words, session::TraceReason);
// Arguments converted to the input_signature, or an error that says both.
void apply_signature(FunctionCore&, BoundArguments&);
Ref result_of(const TraceEntry&, std::span<Tensor> outputs);
Ref run_entry(FunctionCore&, TraceEntry&, std::span<const Tensor> arguments, CallId);

// --- texts ---
std::string type_text(PyObject* value);                      // of an argument: "List[Literal[1], ...]"
std::string output_text(const OutputTemplate&, const Graph&);
std::string signature_block(const TraceEntry&);              // Input Parameters: ... Captures: ...
std::string function_type_text(const TraceEntry&);           // (x: TensorSpec(...)) -> ...

// --- concrete functions and graphs as Python objects ---
Ref concrete_object(PyObject* function, const std::shared_ptr<TraceEntry>&);
void init_function_type();
void init_concrete(PyObject* module);
void init_function_control();

// --- recording ---
FunctionId record_function(FunctionCore&);
void record_trace(FunctionCore&, TraceEntry&, session::TraceReason, int64_t start_ns, int64_t python_ns,
                  const std::string& error);
void record_graphs(const GraphPtr&);

std::shared_ptr<Detector> detector_of(PyObject* callable);
// The warning about frequent retracing, when it is due.
void note_call(FunctionCore&, bool traced);

}  // namespace footlight::python
