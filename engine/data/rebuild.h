// Rebuilds a dataset, with the ops that created it, in the graph that is being built. SavedModels keep the datasets of
// their objects this way.
#pragma once

#include "engine/tensor/tensor.h"

namespace footlight::data {

// Adds the ops of `dataset` and of those below it as nodes to the graph being built; returns the last one's tensor.
// Tensors become constants; variables and tables that functions of the dataset use are captured.
Tensor rebuild_in_graph(const Tensor& dataset);

}  // namespace footlight::data
