// A traced function, independent of the front end: which trace serves a call, when one is made, relaxed or evicted,
// when variables may be created, and what is recorded.
//
// A front end has its own lock (Python: the GIL). Everything here is called with that lock held; other threads can take
// it only while a body or a graph runs, or FrontEnd::wait() waits.
#pragma once

#include "engine/base/clock.h"
#include "engine/keys/dispatch.h"
#include "engine/runtime/executor.h"
#include "engine/trace/concrete.h"
#include "engine/trace/definition.h"
#include "engine/trace/function_scope.h"
#include "engine/trace/key_record.h"

#include <exception>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace footlight::trace {

class Function;

// One trace. Front ends derive from it to add their own data.
class Trace {
 public:
  virtual ~Trace() = default;
  TraceId id;
  KeyId key;                             // in the session that has recorded the trace
  int number = 0;                        // number among the traces of its function, from 1
  std::shared_ptr<Concrete> concrete;
  // When source code was converted while tracing (from, to), without conversions of traces inside this one.
  std::vector<std::pair<int64_t, int64_t>> conversions;

 private:
  friend class Function;
  uint32_t running_ = 0;                 // number of its calls in progress
  bool evicted_ = false;
};

// The arguments of a call. Front ends derive from it to add what they need to trace for them.
struct Arguments {
  std::span<const Tensor> tensors;       // for the parameters of the graph; empty: no value is known
};

// One run of the body.
struct TraceRun {
  const Arguments& arguments;
  std::span<const uint64_t> key;         // the key to trace for: the call's, or a more general one
  GraphBuilder& builder;
  Trace& trace;                          // made by FrontEnd::new_trace()
};

// The place where a function is defined.
struct FunctionSource {
  std::string name;                      // "Layer.__call__"
  std::string file;
  int line = 0;                          // line of the definition
  int decorator_line = 0;                // line of the decorator
};

// The interface to the language in which a function is written. One instance per function.
class FrontEnd {
 public:
  virtual ~FrontEnd() = default;
  virtual const FunctionSource& source() = 0;
  virtual std::string graph_name() const = 0;  // "__inference_step"; a number follows it
  // A name for each item of a key after the context.
  virtual std::vector<std::string> parameters() const = 0;
  // Names for the numbers in a key.
  virtual std::shared_ptr<const keys::Names> names(std::span<const uint64_t>) const { return nullptr; }
  // The key to trace for if the user declared a signature; empty: the call's own key.
  virtual std::vector<uint64_t> declared(std::span<const uint64_t>) const { return {}; }
  // "w1 float32 (8, 16) variable", one for each capture.
  virtual std::vector<std::string> describe_captures(const Trace&) const;

  virtual std::shared_ptr<Trace> new_trace() { return std::make_shared<Trace>(); }
  // Creates the parameters of run.builder, runs the body and returns its results; throws what the body throws.
  virtual std::vector<Tensor> run_body(TraceRun& run) = 0;
  // The graph is finished: run.trace has it.
  virtual void finish(TraceRun&) {}
  // Whether calls of the trace run its graph; false: they run one with the same nodes but other inputs.
  virtual bool runs_as_traced(const Trace&) const { return true; }
  // A trace with another graph that gives results like `like`.
  virtual std::shared_ptr<Trace> with_graph(const Trace& like, std::shared_ptr<Concrete>);

  // Called while handling an exception of run_body(): the exception to throw to the caller.
  virtual std::exception_ptr failure() { return std::current_exception(); }
  virtual std::string describe(const std::exception_ptr&) const;  // class and message
  // Takes a tracing lock that another thread holds, and lets that thread run meanwhile.
  virtual void wait(std::recursive_mutex& tracing) { tracing.lock(); }
  virtual void warn(const std::string& text) = 0;
};

struct FunctionOptions {
  bool reduce_retracing = false;
  size_t most_traces = 4096;             // above that, the least recently used one is evicted
  uint64_t self = 0;                     // number of the object to which the method is bound; it outlives the function
};

// A call that is being recorded.
struct CallRun {
  CallId id, parent;
  KeyId key;               // key of the trace, if the caller chose it; otherwise the requested key
  int64_t start_ns = 0;
};

// Shared by all functions of one definition: each instance of a class has its own Function for a method, but a session
// has one.
struct Family {
  FunctionId id;
  uint32_t recorded = 0;                 // the last recording that contains it (recording_number)
  int traces = 0;                        // number of traces, including failed ones
  int64_t made_ns = now_ns();
  struct Seen { keys::Key key; TraceId trace; };
  std::vector<Seen> seen;                // keys of the latest recorded traces, to find the nearest one
  std::unordered_map<const void*, uint32_t> captured;  // variables and tensors that recorded traces captured, numbered
};

class Function {
 public:
  Function(FrontEnd& front_end, FunctionOptions options, std::shared_ptr<Definition> definition)
      : front_end_(front_end), options_(options), definition_(std::move(definition)) {}
  ~Function();
  Function(const Function&) = delete;
  Function& operator=(const Function&) = delete;

  // Makes this the method of one instance, whose number is `self`; `other` is the class's function.
  void belong_to(const Function& other, uint64_t self);

  // The trace for a call with this key, or null.
  std::shared_ptr<Trace> find(std::span<const uint64_t> key);
  // The same, but traces if no trace fits.
  std::shared_ptr<Trace> find_or_trace(std::span<const uint64_t> key, const Arguments&, session::TraceReason,
                                       bool& traced);

  // Calls `run(trace, call)` with the trace that serves the call. `start_ns`: its begin; 0 if nothing is recorded.
  template <class Run>
  auto call(std::span<const uint64_t> key, const Arguments& arguments, int64_t start_ns, Run&& run) {
    const int last = table_.find_last(key);
    Trace* trace = last == keys::DispatchTable::kMiss ? nullptr : traces_[static_cast<size_t>(last)].get();
    TraceId id;
    const CallRun call{start_ns ? next_call_id() : CallId(), this_thread.call, {}, start_ns};
    const runtime::CallScope inside(start_ns ? call.id : call.parent);
    bool traced = false;
    try {
      std::shared_ptr<Trace> found;
      if (!trace) [[unlikely]] {
        found = find_or_trace(key, arguments, session::TraceReason::kCall, traced);
        trace = found.get();
      }
      if (traced) note_traced();
      else definition_->note_hit();
      const InUse in_use(*this, *trace);
      id = trace->id;
      if (!start_ns) [[likely]] return run(*trace, call.id);
      auto result = run(*trace, call.id);
      record(call, id, traced ? CallOutcome::kTrace : CallOutcome::kHit, key);
      return result;
    } catch (...) {
      if (start_ns) record(call, id, outcome_of_error(call, id, traced ? CallOutcome::kTrace : CallOutcome::kHit), key);
      throw;
    }
  }

  // Calls run() as a call that executes the body directly, without a trace.
  template <class Run>
  auto call_eagerly(int64_t start_ns, Run&& run) {
    return recorded(start_ns, {}, {}, CallOutcome::kEager, [&](CallId) { return run(); });
  }

  // Calls run(call) for a trace that the caller chose.
  template <class Run>
  auto call_trace(const Trace& trace, int64_t start_ns, Run&& run) {
    return recorded(start_ns, trace.id, trace.key, CallOutcome::kHit, run);
  }

  // Records a call that failed before it had a key, because its arguments do not fit. It began at `start_ns`.
  void note_refused(int64_t start_ns) {
    record({next_call_id(), this_thread.call, {}, start_ns}, {}, CallOutcome::kFailed);
  }

  // Counts the next call as one that traced, since its trace was made ahead of it, and warns about retracing as that
  // call would have.
  void note_traced();

  // The traces, in order of creation.
  std::vector<std::shared_ptr<Trace>> traces() const;
  size_t size() const { return table_.size(); }
  int tracing_count() const { return tracing_count_; }
  // Its number in the session; records it if it is not recorded yet.
  FunctionId id();

  FrontEnd& front_end() const { return front_end_; }
  Definition& definition() const { return *definition_; }
  Family& family() const { return *family_; }
  KeyRecords& keys() { return keys_; }

 private:
  friend void key_object_died(uint64_t number);
  enum class Evicted : uint8_t { kObjectDied, kFull };
  // The result of tracing for one key.
  struct Made {
    std::shared_ptr<Trace> trace;
    std::shared_ptr<Trace> first;        // called first instead, if the graph itself initializes variables; else null
  };

  // Keeps a trace from being freed.
  class InUse {
   public:
    InUse(Function& function, Trace& trace) : function_(function), trace_(trace) { ++trace.running_; }
    ~InUse() {
      if (--trace_.running_ == 0 && trace_.evicted_) [[unlikely]] function_.free_evicted();
    }
    InUse(const InUse&) = delete;
    InUse& operator=(const InUse&) = delete;

   private:
    Function& function_;
    Trace& trace_;
  };

  template <class Run>
  auto recorded(int64_t start_ns, TraceId trace, KeyId key, CallOutcome good, Run&& run) {
    if (!start_ns) return run(CallId());
    const CallRun call{next_call_id(), this_thread.call, key, start_ns};
    const runtime::CallScope inside(call.id);
    try {
      auto result = run(call.id);
      record(call, trace, good);
      return result;
    } catch (...) {
      record(call, trace, outcome_of_error(call, trace, good));
      throw;
    }
  }

  // The outcome of a call that raises the error being handled: failed, but `good` where a dataset came to its end
  // while the trace ran, which is how loops over its elements end.
  static CallOutcome outcome_of_error(const CallRun&, TraceId trace, CallOutcome good);

  // `called_now`: a call waits for the trace and runs it as soon as it is finished.
  Made make_trace(const Arguments&, const keys::Key&, session::TraceReason, bool called_now);
  std::shared_ptr<Trace> first_call(const Trace& creating, const Trace& later, std::span<const Tensor> variables,
                                    const keys::Key&, bool called_now);
  void add(keys::Key key, std::shared_ptr<Trace> trace);
  void object_died(uint64_t number, std::vector<std::shared_ptr<Trace>>& evicted);
  std::shared_ptr<Trace> evict(int index, Evicted why, uint64_t number);
  void release(int index);
  void free_evicted();
  void record(const CallRun&, TraceId, CallOutcome, std::span<const uint64_t> asked = {});

  FrontEnd& front_end_;
  FunctionOptions options_;
  std::shared_ptr<Definition> definition_;
  std::shared_ptr<Family> family_ = std::make_shared<Family>();
  KeyRecords keys_;

  keys::DispatchTable table_;
  std::vector<std::shared_ptr<Trace>> traces_;        // indexed as in table_
  int searching_ = 0;                                 // searches in progress, which may call the front end
  std::vector<uint64_t> died_meanwhile_;              // objects in keys that died during a search
  std::vector<std::shared_ptr<Trace>> still_running_;  // evicted traces
  std::unordered_set<uint64_t> evicted_keys_;         // hashes of keys that may be requested again

  std::recursive_mutex tracing_;
  Variables variables_ = Variables::kMayBeMade;
  int tracing_count_ = 0;
};

// Keys contain objects by number. The front end calls this when one has died: the traces made for it are evicted.
void key_object_died(uint64_t number);
// Whether any trace's key contains the object.
bool key_object_is_used(uint64_t number);

}  // namespace footlight::trace
