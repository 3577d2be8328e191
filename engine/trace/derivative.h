// Gradients of graphs: a forward graph, which also returns what the backward graph needs, and the backward graph.
#pragma once

#include "engine/trace/concrete.h"

namespace footlight {
class Backward;
}

namespace footlight::trace {

// The backward pass of a forward graph, which returns the original's outputs and then the values needed here.
struct Derivative {
  size_t outputs = 0;              // number of outputs of the original
  std::shared_ptr<Concrete> backward;
  std::vector<size_t> seeds;       // the outputs whose gradients are the first inputs of backward, in this order
  // Backward's other inputs: an input or output of forward, or a value from outside of both.
  struct Need {
    bool input;
    size_t index;
    Tensor value;
  };
  std::vector<Need> needs;
  std::vector<int> gradient_of;    // for each input of forward, the output of backward that is its gradient, or -1
  // If the differentiated graph is a forward graph itself: its derivative, which is cheaper and needs only outputs that
  // this forward graph has as well.
  std::shared_ptr<const Derivative> shallower;
  std::vector<bool> sparse;        // whether that output is the first of the three of an ops::indexed_slices()
  // The gradient of an input of forward among the results of backward; empty if it has none.
  Tensor of_input(size_t input, std::span<const Tensor> results) const;

  // Gradients of all inputs, from gradients of the original outputs (empty: zero). Runs or stages backward as part of
  // the call that ran forward.
  void apply(std::span<const Tensor> inputs, std::span<const Tensor> outputs, std::span<const Tensor> output_gradients,
             std::span<Tensor> input_gradients, CallId call = {}) const;
};

// The forward graph of a graph, as a function.
struct Forward {
  std::shared_ptr<Concrete> function;
  std::shared_ptr<const Derivative> derivative;
  const GraphPtr& graph() const { return function->graph(); }
};

// Built once per graph and stored in it.
std::shared_ptr<const Forward> forward_of(const GraphPtr& graph);
// The derivative of a forward graph; null for other graphs.
std::shared_ptr<const Derivative> derivative_of(const Graph& forward);

// Gradients of `ys` with respect to each of `xs` (empty: `ys` do not depend on it), built with the current builder. The
// graph is being built, or a copy made for this. `stops` count as constants: gradients do not pass through them.
std::vector<Tensor> graph_gradients(Graph& graph, std::span<const Edge> ys, std::span<const Tensor> y_gradients,
                                    std::span<const Edge> xs, std::span<const Edge> stops = {});

// Tells tapes that outputs which were added to a node for its gradient depend on its inputs.
void record_added_outputs(std::span<const Tensor> inputs, std::span<const Tensor> added);

// Remembers a custom gradient in the graph that is being built (eager/hooks.h).
void note_custom_gradient(std::span<const Tensor> inputs, std::span<const Tensor> outputs,
                          const std::shared_ptr<Backward>& backward);

}  // namespace footlight::trace
