// Stores datasets in tensors, and computes cardinalities.
#include "engine/data/stage.h"

#include "engine/base/text.h"

#include <algorithm>

namespace footlight::data {

int64_t Cursor::skip(int64_t count) {
  Element passed;
  int64_t done = 0;
  while (done < count && next(passed)) ++done;
  return done;
}

Tensor dataset_tensor(Stage* stage) {
  Tensor tensor = Tensor::empty(DType::kVariant, Shape());
  stage->ref();
  *tensor.data<Resource*>() = stage;
  return tensor;
}

StagePtr stage_of(const Tensor& dataset) {
  Stage* stage = nullptr;
  if (dataset.dtype() == DType::kVariant && dataset.elements() == 1)
    stage = dynamic_cast<Stage*>(*dataset.data<Resource*>());
  if (!stage) invalid("The input is no dataset: a variant of another kind was given.");
  return StagePtr(stage);
}

bool fits(const Element& element, const std::vector<DType>& types, const std::vector<Shape>& shapes) {
  bool good = element.size() == types.size();
  for (size_t k = 0; good && k < element.size(); ++k)
    good = element[k].dtype() == types[k] && (k >= shapes.size() || is_subshape(element[k].shape(), shapes[k]));
  return good;
}

int64_t add_cardinalities(int64_t a, int64_t b) {
  if (a == kInfinite || b == kInfinite) return kInfinite;
  if (a == kUnknown || b == kUnknown) return kUnknown;
  return a + b;
}

int64_t smaller_cardinality(int64_t a, int64_t b) {
  if (a == kInfinite) return b;
  if (b == kInfinite) return a;
  if (a == kUnknown || b == kUnknown) return kUnknown;
  return std::min(a, b);
}

}  // namespace footlight::data
