// A host tensor as TensorProto.
#pragma once

#include "engine/graph/proto.h"
#include "engine/tensor/tensor.h"

namespace footlight {

void fill_tensor_proto(proto::Message&, const Tensor&);

}  // namespace footlight
