// Infers dtypes and shapes by the rules of an op, and allocates tensors for them.
#include "engine/runtime/allocate_outputs.h"

#include <algorithm>
#include <vector>

namespace footlight::runtime {

void allocate_outputs(const OpRow& row, const Attrs& attrs, std::span<const Tensor> inputs, std::span<Tensor> outputs,
                      Device device) {
  constexpr size_t kFew = 4;
  DType few_dtypes[kFew];
  Shape few_shapes[kFew];
  std::vector<DType> many_dtypes;
  std::vector<Shape> many_shapes;
  std::span<DType> dtypes(few_dtypes, std::min(outputs.size(), kFew));
  std::span<Shape> shapes(few_shapes, std::min(outputs.size(), kFew));
  if (outputs.size() > kFew) {
    many_dtypes.resize(outputs.size());
    many_shapes.resize(outputs.size());
    dtypes = many_dtypes;
    shapes = many_shapes;
  }
  RuntimeInference inference(row, attrs, inputs, dtypes, shapes);
  infer_outputs(inference);
  for (size_t i = 0; i < outputs.size(); ++i)
    if (shapes[i].fully_known()) outputs[i] = Tensor::empty(dtypes[i], shapes[i], device);
}

}  // namespace footlight::runtime
