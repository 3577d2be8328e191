// Datasets as tensors; arithmetic on cardinalities.
#include "engine/data/stage.h"

#include "engine/base/text.h"
#include "engine/graph/graph.h"
#include "engine/tensor/random_state.h"

#include <algorithm>

namespace footlight::data {

int64_t Cursor::skip(int64_t count) {
  Element passed;
  int64_t done = 0;
  while (done < count && next(passed)) ++done;
  return done;
}

namespace {

void restart_random_ops(const Graph& graph) {
  static const AttrName kState{"_state"};
  for (uint32_t i = 0; i < graph.size(); ++i)
    for (const auto& [name, value] : graph.node(NodeId(i)).attrs) {
      if (const auto* inner = std::get_if<GraphPtr>(&value)) restart_random_ops(**inner);
      if (name != kState) continue;
      if (auto* state = dynamic_cast<RandomState*>(std::get<Tensor>(value).resource_object())) state->restart();
    }
}

}  // namespace

CursorPtr Stage::start_over(const Start& start) {
  for (const GraphPtr& graph : functions) restart_random_ops(*graph);
  return this->start(start);
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
