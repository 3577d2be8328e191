// Infers and allocates the outputs of a kernel, when all its inputs are known.
#pragma once

#include "engine/ops/builder.h"
#include "engine/tensor/gpu.h"

#include <span>

namespace footlight::runtime {

// Gives the shape rule of a running op the values of all inputs.
class RuntimeInference final : public Inference {
 public:
  RuntimeInference(const OpRow& r, const Attrs& a, std::span<const Tensor> in, std::span<DType> dtypes,
                   std::span<Shape> shapes)
      : Inference(r, a, in) {
    output_dtypes = dtypes;
    output_shapes = shapes;
  }
  Tensor constant(size_t input) override { return gpu::on_host(inputs[input]); }
};

// Allocates the outputs. One whose shape only the kernel knows stays empty.
void allocate_outputs(const OpRow& row, const Attrs& attrs, std::span<const Tensor> inputs, std::span<Tensor> outputs,
                      Device device = Device::cpu());

}  // namespace footlight::runtime
