// Gradients of graphs: a forward graph that also hands out what the backward graph needs, and that backward graph.
#pragma once

#include "engine/trace/concrete.h"

namespace footlight::trace {

// How gradients go back through a forward graph, whose outputs are those of the original and then what is needed here.
struct Derivative {
  size_t outputs = 0;              // of the original
  std::shared_ptr<Concrete> backward;
  std::vector<size_t> seeds;       // the outputs whose gradients backward takes, in this order, first
  // Then these: an input of forward, an output of it, or a value from outside of both.
  struct Need {
    bool input;
    size_t index;
    Tensor value;
  };
  std::vector<Need> needs;
  std::vector<int> gradient_of;    // for each input of forward: which output of backward, or -1
  std::vector<bool> sparse;        // whether that is the first of the three of an ops::indexed_slices()
  // What backward's results say of an input of forward; empty when nothing flows there.
  Tensor of_input(size_t input, std::span<const Tensor> results) const;

  // Gradients for all inputs from gradients of the original outputs (empty: none flows). Runs or stages backward, which
  // belongs to the call that ran forward.
  void apply(std::span<const Tensor> inputs, std::span<const Tensor> outputs, std::span<const Tensor> output_gradients,
             std::span<Tensor> input_gradients, CallId call = {}) const;
};

// The forward graph of an original one, as a function.
struct Forward {
  std::shared_ptr<Concrete> function;
  std::shared_ptr<const Derivative> derivative;
  const GraphPtr& graph() const { return function->graph(); }
};

// Made once per graph, kept by it.
std::shared_ptr<const Forward> forward_of(const GraphPtr& graph);
// Of a graph that is such a forward graph; null otherwise.
std::shared_ptr<const Derivative> derivative_of(const Graph& forward);

// Gradients of `ys` of one graph that is being built, or was copied for this, with respect to each of `xs` (empty where
// none flows). Built with the current builder.
// `stops` count as constants: nothing flows on through them.
std::vector<Tensor> graph_gradients(Graph& graph, std::span<const Edge> ys, std::span<const Tensor> y_gradients,
                                    std::span<const Edge> xs, std::span<const Edge> stops = {});

// A node was given more outputs for its gradient, after tapes saw it: tells them that these depend on its inputs too.
void tell_of_more(std::span<const Tensor> inputs, std::span<const Tensor> more);

// Puts the gradients of branches, loops and calls behind their rows. Called once at start.
void init_control_gradients();
// Lets graphs remember the gradients that users give to parts of them. Called by the former.
void init_custom_gradients();

}  // namespace footlight::trace
