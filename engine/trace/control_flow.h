// Staged branches and loops, which AutoGraph, tf.cond and tf.while_loop build while tracing.
#pragma once

#include "engine/session/records.h"
#include "engine/trace/graph_builder.h"

#include <functional>
#include <optional>

namespace footlight::trace {

// Each branch is traced once, in its own graph, `then_branch` first. Outside values become inputs. Both branches must
// return the same number of tensors with the same dtypes.
using Branch = std::function<std::vector<Tensor>()>;
// Returns which outputs are row numbers (an IndexedSlices' indices), after all branches are traced. If branches have
// them as int32 and int64, they become int64.
using RowNumbers = std::function<std::vector<size_t>()>;
std::vector<Tensor> build_cond(const Tensor& pred, const Branch& then_branch, const Branch& else_branch,
                               std::string_view name = "cond", const RowNumbers& = {});

// Builds a branch for each number from 0 on; the last one serves all other numbers.
std::vector<Tensor> build_case(const Tensor& index, std::span<const Branch> branches,
                               std::string_view name = "switch_case/indexed_case", const RowNumbers& = {});

struct WhileOptions {
  std::string name = "while";
  int64_t maximum_iterations = -1;
  Tensor most;                                         // as an int32 scalar, if it is not known
  int64_t parallel_iterations = 10;
  std::vector<std::optional<Shape>> shape_invariants;  // empty, or one for each variable
  std::vector<std::string> symbols;                    // the user's names of the variables, for messages
};
using LoopCondition = std::function<Tensor(std::span<const Tensor>)>;
using LoopBody = std::function<std::vector<Tensor>(std::span<const Tensor>)>;
// The body must return a tensor for each variable, with its dtype and a shape within its invariant.
std::vector<Tensor> build_while(std::vector<Tensor> variables, const LoopCondition&, const LoopBody&,
                                const WhileOptions& = {});

// Elements of a dataset, for a loop over them.
struct LoopElements {
  Tensor dataset;
  std::vector<DType> dtypes;  // dtypes of an element's tensors
  std::vector<Shape> shapes;
};
// The body gets the element's tensors before the variables, and returns a tensor per variable, whose shape is widened
// as needed; with `stops`, a bool follows them, which says that the loop has not ended before.
std::vector<Tensor> build_reduce(const LoopElements&, std::vector<Tensor> variables, const LoopBody&,
                                 const WhileOptions& = {}, bool stops = false);

// Runs `look` in a scratch graph: to inspect a condition without adding nodes.
void in_scratch_graph(const std::function<void()>& look);

}  // namespace footlight::trace
