// Allocates outputs of kernels whose shapes are known only at run time.
#pragma once

#include "engine/ops/builder.h"
#include "engine/tensor/gpu.h"

#include <span>

namespace footlight::runtime {

// The inference of a running op, which knows every input.
class RunInference final : public Inference {
 public:
  RunInference(const OpRow& r, const Attrs& a, std::span<const Tensor> in, std::span<DType> dtypes,
               std::span<Shape> shapes)
      : Inference(r, a, in) {
    output_dtypes = dtypes;
    output_shapes = shapes;
  }
  Tensor constant(size_t input) override { return gpu::on_host(inputs[input]); }
};

// An output whose shape follows from the values alone stays empty.
void allocate_inferred(const OpRow& row, const Attrs& attrs, std::span<const Tensor> inputs, std::span<Tensor> outputs,
                       Device device = Device::cpu());

}  // namespace footlight::runtime
