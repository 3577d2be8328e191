// Makes a dataset once more, by the ops that it was made with: in the graph that is being built. A SavedModel keeps
// the datasets of its objects so.
#pragma once

#include "engine/tensor/tensor.h"

namespace footlight::data {

// The ops that made `dataset` and those below it as nodes of the graph being built; the tensor of the last one. Tensors
// become constants; variables and tables that functions of the dataset use are captured.
Tensor rebuild_in_graph(const Tensor& dataset);

}  // namespace footlight::data
