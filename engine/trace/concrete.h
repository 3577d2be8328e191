// A finished trace: its graph, captures and Program, and ways to call it.
#pragma once

#include "engine/compile/program.h"
#include "engine/trace/graph_builder.h"

#include <atomic>
#include <memory>
#include <mutex>

namespace footlight::trace {

class Concrete {
 public:
  // Takes the graph of `builder`, which must be finished.
  explicit Concrete(GraphBuilder& builder);
  Concrete(GraphPtr graph, std::vector<Tensor> captures);

  const GraphPtr& graph() const { return graph_; }
  const std::vector<Tensor>& captures() const { return captures_; }
  size_t parameters() const { return graph_->parameters; }
  size_t outputs() const { return graph_->outputs.size(); }
  bool stateful() const { return stateful_; }

  // Runs the program, or adds a call node while tracing; active tapes record it. `outputs` has outputs() elements.
  void call(std::span<const Tensor> arguments, std::span<Tensor> outputs, CallId call = {});
  std::vector<Tensor> call(std::span<const Tensor> arguments, CallId call = {});

  // Compiled at first use, which fills `phases`.
  const compile::Program& program(compile::Phases* phases = nullptr) {
    const compile::Program* const made = made_program_.load(std::memory_order_acquire);
    return made ? *made : *shared_program(phases);
  }
  const compile::ProgramPtr& shared_program(compile::Phases* phases = nullptr);
  // Makes an equal program for inspection that never runs.
  compile::ProgramPtr make_program(compile::Phases* phases = nullptr) const;

 private:
  void run_for_tape(std::span<const Tensor> inputs, std::span<Tensor> outputs, CallId call);
  void stage(std::span<const Tensor> inputs, std::span<Tensor> outputs);

  GraphPtr graph_;
  std::vector<Tensor> captures_;
  bool stateful_;
  std::once_flag compiled_;
  compile::ProgramPtr program_;
  std::atomic<const compile::Program*> made_program_ = nullptr;  // program_ once it is made: quicker than call_once
};

// The call id in the attributes that a tape kept: the backward graph runs for the same call.
CallId call_of(const Attrs& attrs);
// How calls that this thread adds to graphs shall run: "" or the name of an executor.
std::string& executor_type();
// The row of the op that calls `callee`.
const OpRow& call_row(const Graph& callee);
Attrs call_attrs(const GraphPtr& callee, std::span<const Tensor> inputs);
std::vector<DType> output_dtypes(const Graph&);
std::vector<Shape> output_shapes(const Graph&);

}  // namespace footlight::trace
