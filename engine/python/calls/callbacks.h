// Helpers for C++ that calls a Python function while a graph or a dataset runs.
#pragma once

#include "engine/eager/execute.h"
#include "engine/eager/tape.h"
#include "engine/ops/builder.h"

#include <string>
#include <utility>

namespace footlight::python {

// While one lives, ops of this thread run at once, whatever the graph that calls back was called from.
class OutsideOfGraphs {
 public:
  OutsideOfGraphs() : builder_(std::exchange(this_thread.builder, nullptr)), scope_(std::move(eager::name_scope())) {
    eager::name_scope().clear();
  }
  ~OutsideOfGraphs() {
    this_thread.builder = builder_;
    eager::name_scope() = std::move(scope_);
  }
  OutsideOfGraphs(const OutsideOfGraphs&) = delete;
  OutsideOfGraphs& operator=(const OutsideOfGraphs&) = delete;

 private:
  Builder* const builder_;
  std::string scope_;
  const PauseTapes tapes_;
};

// Called in a handler: rethrows the function's error as an error of the op. An interrupt stays one.
[[noreturn]] void fail_as_op();

}  // namespace footlight::python
