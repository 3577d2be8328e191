// One call of a program that was chosen by name and number, to be compared or to have its values recorded: which it is,
// how it is bound to its trace, and the words for what it raises when it runs again.
#pragma once

#include "engine/python/function/function_object.h"

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace footlight::python {

// A call's arguments, as the interpreter passed them.
struct CallWords {
  PyObject* function;
  PyObject* const* args;
  size_t nargsf;
  PyObject* kwnames;
};

class ChosenCall {
 public:
  ChosenCall() = default;
  // `name`: of the function, qualified or its last part; empty: the first that is called. `first` to `last`: numbers of
  // calls, from 1; 0: no call.
  ChosenCall(std::string name, uint64_t first, uint64_t last) : name_(std::move(name)), first_(first), last_(last) {}
  ChosenCall(std::string name, uint64_t number) : ChosenCall(std::move(name), number, number) {}

  // Counts this call of the function, and is true for chosen ones. The first function that the name fits is meant.
  bool arrives(const FunctionCore& core);
  bool is_over() const { return calls_ >= last_; }
  uint64_t number() const { return calls_; }  // number of the latest call
  uint64_t count() const { return first_ ? last_ - first_ + 1 : 0; }

 private:
  std::string name_;
  uint64_t first_ = 0, last_ = 0;
  std::string function_;  // the one whose calls are counted
  uint64_t calls_ = 0;
};

// A call with the trace that serves it. The constructor traces, as the call would have, if no trace does, and throws
// what binding and tracing raise.
class BoundCall {
 public:
  explicit BoundCall(const CallWords& call);
  TraceEntry& entry() { return *entry_; }
  std::span<const Tensor> inputs() const { return inputs_; }  // arguments, then captures

 private:
  BoundArguments bound_;
  std::vector<PyObject*> values_;
  CallKey key_;
  std::shared_ptr<TraceEntry> entry_;
  std::vector<Tensor> inputs_;
};

// "ValueError: no rows": takes the exception that Python has set. Interrupts and exits are the program's own: they are
// thrown on.
std::string exception_text();

}  // namespace footlight::python
