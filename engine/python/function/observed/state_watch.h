// What a trace freezes and what happens only while it is made, for recordings: the state outside that its body reads
// (compared again at later calls), changes of such state, numbers drawn, symbolic tensors that outlive it.
//
// With recording off there is none of this. It never runs the user's code, and keeps nothing of the user's alive.
#pragma once

#include "engine/python/function/observed/state_value.h"
#include "engine/trace/function.h"

#include <memory>
#include <span>
#include <vector>

namespace footlight::python {

struct WatchedBody;                      // a function's accesses, cached with its code

// State that a finished trace has read.
class TraceState {
 public:
  struct StateRead {
    Ref function;                        // weak; its globals and cells, or
    Ref object;                          // weak; the parameter that the path begins at
    std::shared_ptr<const WatchedBody> body;
    size_t access = 0, steps = 0;
    std::string path;
    SeenValue read;                      // by the trace
    SeenValue value;                     // at the last call
    std::string text;
    int changes = 0;
  };
  // A place where the trace left a symbolic tensor after it had read what was there before.
  struct Frozen {
    StateRead place;                     // `value`: what was there at the last call
    uint64_t contents = 0;               // of what the trace has read
    bool used = false;                   // a later call ran with that, and it was recorded
  };
  FunctionId function;
  TraceId trace;
  uint32_t recording = 0;                // the recording that has the function and the trace
  std::vector<StateRead> places;
  std::vector<Frozen> frozen;
  int64_t made_ns = 0;             // when the trace was complete
  std::vector<std::shared_ptr<TraceState>> inner;  // of traces that it contains

  // A call that the trace serves. Compares the state in each of the first calls, later as often as an eighth of the
  // time allows.
  void note_call(int64_t now_ns) {
    ++uncompared_;
    if (now_ns >= next_ns_) [[unlikely]] compare(now_ns);
  }
  // Records what has changed since the trace read it.
  void compare(int64_t now_ns);

 private:
  void compare_for(TraceId hit, int64_t now_ns, uint64_t calls, int depth);
  void compare_frozen(int64_t now_ns, uint64_t calls);
  uint64_t uncompared_ = 0;              // calls since the last comparison
  int comparisons_ = 0;
  int64_t next_ns_ = 0;
};

// The functions of a dataset run on any thread: what their traces have read is compared when the program asks for an
// element instead, of all datasets that were made while recording.
void watch_elements(const std::shared_ptr<TraceState>& state);
void note_element();

// Lives while a body runs.
class StateWatch {
 public:
  // `values`: the arguments, in the order of the parameters.
  // `follow`: called functions are not converted, so they are found by their names.
  StateWatch(PyObject* body, std::span<PyObject* const> values, FunctionId function, TraceId trace, bool follow);
  ~StateWatch();
  StateWatch(const StateWatch&) = delete;
  StateWatch& operator=(const StateWatch&) = delete;

  // The body has returned. Null: nothing to compare later.
  std::shared_ptr<TraceState> finish(const Graph* graph);
  // The trace contains a call of another one.
  static void contains(const std::shared_ptr<TraceState>& inner);
  // Converted code calls something.
  static void entering(PyObject* callable, PyObject* const* args, Py_ssize_t count);
  // Python took the body of an `if` while tracing, or not.
  static void decided(const std::string& file, int line, bool body);
  // Code calls a function that is not converted. The program's functions that it calls are found by their names.
  static void entering_unconverted(PyObject* function);
  // A function of the program begins, called by a library: it is what the thread's innermost frame runs.
  static void entered_from_library(PyObject* function);

 private:
  struct Impl;
  static Impl* innermost();              // null: nothing is recorded, or nothing is being traced
  std::unique_ptr<Impl> impl_;           // null: nothing is recorded
};

// What a function changes outside of itself, from its source and those of the program's functions that it calls:
// "self.steps (line 12)", "calls (line 3 of count)". Not what variables of the engine hold, which can be put back.
std::vector<std::string> outside_changes(PyObject* callable);

// A symbolic tensor of a finished trace is used: tells the recording (engine/trace/hooks.h).
void note_leaked_use(const Graph&);

}  // namespace footlight::python
