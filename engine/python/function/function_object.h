// tf.function objects: the Python side of trace::Function.
#pragma once

#include "engine/python/function/call/binding.h"
#include "engine/python/function/call/key.h"
#include "engine/python/function/call/object_ids.h"
#include "engine/python/function/tracing/trace_entry.h"
#include "engine/trace/function.h"

#include <memory>
#include <string>
#include <vector>

namespace footlight::python {

struct FunctionOptions {
  Ref input_signature;                   // a tuple, or empty
  bool autograph = true;
  bool reduce_retracing = false;
  bool stages_prints = false;            // Feature.BUILTIN_FUNCTIONS
  Ref jit_compile;
  std::string name;
  Attrs attributes;   // attributes of the function in a library
  Ref given;          // keyword arguments of tf.function as a dict, or empty
  bool pure = false;  // its arguments suffice: they are passed as tensors
};

// Passed by a call for the trace that it may need. Lives on the stack.
struct CallArguments final : trace::Arguments {
  CallArguments(const CallKey& key, std::span<PyObject* const> v) : Arguments{key.tensors()}, values(v) {}
  std::span<PyObject* const> values;     // in parameter order
};

class FunctionCore final : public trace::FrontEnd {
 public:
  FunctionCore(PyObject* callable, const FunctionOptions&);

  Ref python_function;                   // the user's function; bound for a method while the method object lives
  Ref converted;                         // runs while tracing; made at the first trace
  std::string name, qualified_name;
  FunctionOptions options;
  bool ready = false;                    // signature was read
  bool decorated = false;                // python_function was replaced by a decorator
  FunctionSignature signature;
  uint64_t self_number = 0;              // number of a method's instance
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
  bool runs_as_traced(const trace::Trace& trace) const override {
    return static_cast<const TraceEntry&>(trace).replaced.empty();
  }
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
  PyObject* method;  // the instance's part, which has the core and the dictionary; null: it has its own
};
extern PyTypeObject* function_type;
inline FunctionCore& core_of(PyObject* o) { return *reinterpret_cast<PyTracedFunction*>(o)->core; }
bool is_function(PyObject*);
// The part that lives as long as the function is known: for a method, the instance's.
PyObject* lasting(PyObject* function);
// A new tf.function object around `callable`.
Ref make_function(PyObject* callable, const FunctionOptions&);
void init_function_type();

}  // namespace footlight::python
